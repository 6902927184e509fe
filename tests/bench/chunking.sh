#!/usr/bin/env bash
# Makes pairs of files, before and after a change as people make it, and says what an upload of the second over the
# first would send with blocks of fixed size and with cuts by content. docs/upload.md has the results.
set -euo pipefail
export LC_ALL=C TZ=UTC
compare=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../build/tests/cut_compare")

usage() {
    cat <<'TEXT'
Usage: tests/bench/chunking.sh WORK_DIRECTORY SOURCE_TREE [CASE]...

Needs some 15 GiB in WORK_DIRECTORY, and python3, sqlite3, tar, gzip, mke2fs and debugfs.
CASE: patch release targz sqlite dump vm log front (default: all)
TEXT
}

if (($# < 2)) || [[ ! -d $2 ]]; then usage >&2 && exit 64; fi
if [[ ! -x $compare ]]; then echo "build it first: cmake --build build --target cut_compare" >&2 && exit 1; fi
tree=$(realpath "$2")
mkdir -p "$1"
cd "$1"
shift 2
cases=("$@")
if ((${#cases[@]} == 0)); then cases=(patch release targz sqlite dump vm log front); fi

show() {
    echo "== $1"
    "$compare" "$2" "$3"
}

# make_tree NAME N: tree-before.tar, and NAME.tar of the same tree in which 1 file in N is removed, 1 is new, and 2 are
# edited by a line.
make_tree() {
    if [[ -f $1.tar ]]; then return; fi
    rm -rf copy
    mkdir copy
    tar -C "$tree" -cf - . | tar -C copy -xf -
    pack tree-before.tar
    python3 - "$2" <<'PYTHON'
import os, random, sys
rng, n = random.Random(1), int(sys.argv[1])
paths = sorted(os.path.join(d, f) for d, _, names in os.walk("copy") for f in names)
for path in paths:
    fate = rng.randrange(n)
    if os.path.islink(path) or fate > 3:
        continue
    if fate == 0:
        os.unlink(path)
    elif fate == 1:
        with open(path + ".new", "wb") as new:
            new.write(rng.randbytes(rng.randrange(1, 20_000)))
    else:
        os.chmod(path, 0o644)
        with open(path, "rb") as file:
            data = file.read()
        at = rng.randrange(len(data) + 1)
        with open(path, "wb") as file:
            file.write(data[:at] + b"an edited line %d\n" % rng.randrange(10**6) + data[at:])
PYTHON
    pack "$1.tar"
    rm -rf copy
}
pack() {
    tar --sort=name --mtime=@1700000000 --owner=0 --group=0 -C copy -cf "$1" .
}

# A table of about 1 GiB with an index. Two copies: one with 3,000 rows changed, removed or added all over it, one with
# 300, of which those changed and removed are among the newest 2 %.
make_sqlite() {
    if [[ -f sqlite-recent.db ]]; then return; fi
    rm -f sqlite-*.db*
    python3 - <<'PYTHON'
import random, shutil, sqlite3
rng, rows = random.Random(2), 1_600_000
def row(i):
    return (i, "user%09d" % rng.randrange(10**9), rng.randbytes(rng.randrange(200, 1_000)))
base = sqlite3.connect("sqlite-before.db")
base.execute("pragma journal_mode = off")
base.execute("pragma synchronous = off")
base.execute("create table t (id integer primary key, name text, body blob)")
base.executemany("insert into t values (?, ?, ?)", (row(i) for i in range(rows)))
base.execute("create index by_name on t (name)")
base.commit()
base.close()
for name, count, first in (("sqlite-scattered.db", 1_000, 0), ("sqlite-recent.db", 100, rows - rows // 50)):
    shutil.copyfile("sqlite-before.db", name)
    after = sqlite3.connect(name)
    for _ in range(count):
        after.execute("update t set body = ? where id = ?", (rng.randbytes(600), rng.randrange(first, rows)))
        after.execute("delete from t where id = ?", (rng.randrange(first, rows),))
    for i in range(count):
        after.execute("insert into t values (?, ?, ?)", row(rows + i))
    after.commit()
    after.close()
PYTHON
}

# An ext4 image of 8 GiB with the tree in it, the rest holes; then 60 files are written, 20 are removed.
make_vm() {
    if [[ -f vm-after.img ]]; then return; fi
    rm -f vm-*.img
    mke2fs -q -t ext4 -E lazy_itable_init=0,root_owner=0:0 -U 00000000-0000-0000-0000-000000000001 -d "$tree" \
        vm-before.img 8G
    cp --sparse=always vm-before.img vm-after.img
    mkdir -p new
    python3 - <<'PYTHON'
import random
rng = random.Random(3)
for i in range(60):
    with open("new/%d" % i, "wb") as file:
        file.write(rng.randbytes(rng.randrange(1_000, 2_000_000)))
PYTHON
    (
        cd "$tree"
        find . -type f -size +8k | sort | awk 'NR % 997 == 0' | head -20 | sed 's|^\./\(.*\)$|rm "/\1"|'
        for ((i = 0; i < 60; i++)); do echo "write new/$i /new-$i"; done
    ) >commands
    debugfs -w -f commands vm-after.img >/dev/null 2>&1
    rm -rf new commands
}

for case in "${cases[@]}"; do
    case $case in
        patch)
            make_tree patch 40000
            show "tar of a source tree, patch release" tree-before.tar patch.tar
            ;;
        release)
            make_tree release 500
            show "tar of a source tree, large release" tree-before.tar release.tar
            ;;
        targz)
            make_tree patch 40000
            gzip -n -1 -c tree-before.tar >before.tar.gz
            gzip -n -1 -c patch.tar >after.tar.gz
            show "the patch release, gzip" before.tar.gz after.tar.gz
            gzip -n -1 --rsyncable -c tree-before.tar >before.tar.gz
            gzip -n -1 --rsyncable -c patch.tar >after.tar.gz
            show "the patch release, gzip --rsyncable" before.tar.gz after.tar.gz
            rm before.tar.gz after.tar.gz
            ;;
        sqlite)
            make_sqlite
            show "SQLite, 3,000 rows all over it" sqlite-before.db sqlite-scattered.db
            show "SQLite, 300 rows, most of them recent" sqlite-before.db sqlite-recent.db
            ;;
        dump)
            make_sqlite
            sqlite3 sqlite-before.db .dump >before.sql
            sqlite3 sqlite-recent.db .dump >after.sql
            show "SQLite, 300 rows, as a dump in SQL" before.sql after.sql
            rm before.sql after.sql
            ;;
        vm)
            make_vm
            show "ext4 image, changed in place" vm-before.img vm-after.img
            ;;
        log)
            python3 -c 'import random; r = random.Random(4)
for i in range(12_000_000): print(i, "%016x" % r.getrandbits(64), "GET /item/%d 200" % r.randrange(10**6))' >log-after
            head -c -50000000 log-after >log-before
            show "log, 50 MB appended" log-before log-after
            tail -c +50000001 log-before >log-rotated
            show "log, the oldest 50 MB removed" log-before log-rotated
            rm log-*
            ;;
        front)
            python3 -c 'import random, sys
r = random.Random(5)
for _ in range(1024): sys.stdout.buffer.write(r.randbytes(1 << 20))' >front-before
            { echo 'one line more' && cat front-before; } >front-after
            show "1 GiB of noise, one line inserted at the front" front-before front-after
            rm front-*
            ;;
        *) usage >&2 && exit 64 ;;
    esac
done
