"""The cost of a lock without contention: user and system time of `LOCK x true`, in alternating runs."""

import os
import statistics
import subprocess

from lock_tools import HERE

MODULES = HERE.parent / "azurite/node_modules"


def cpu_seconds(command, environment):
    """CPU seconds of the command and all processes that it waited for. Ends the program if the command fails."""
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"bench: {command} ended with {process.returncode}: {said.decode(errors='replace')}")
    return used.ru_utime + used.ru_stime


def measure(tools, runs):
    commands = {tool.name: (tool.command("cost", "true"), tool.environment) for tool in tools}
    azlock = next(tool for tool in tools if tool.name == "azlock lock")
    cpu_seconds(*commands[azlock.name])  # makes the container and the blob
    script = ["node", str(HERE / "sdk_lock.js"), str(MODULES), "locks", "cost"]
    commands["JavaScript SDK, acquire and release"] = (script, azlock.environment)
    used = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            used[name].append(cpu_seconds(*command))
    base = statistics.median(used[azlock.name])
    print(f"\nCPU of a lock around `true`, medians of {runs} alternating runs")
    for name, seconds in used.items():
        median = statistics.median(seconds)
        print(f"{name:38} {median * 1000:7.1f} ms   {min(seconds) * 1000:7.1f} to {max(seconds) * 1000:7.1f}   "
              f"azlock is {base / median:.2f} of it")
