"""A network that loses answers and breaks connections in the middle of a body, and lines that name their writer."""

import random

from .faults import drop_reply, reset_mid_body


def lose(proxy, operation, seed=1, of=5):
    """From now on, of each `of` requests of the operation, one is carried out but its answer is lost, and the body of
    another one breaks off half way."""
    dice = random.Random(seed)
    fates = []

    def draw(request):
        if request.operation != operation:
            return False
        if not fates:
            fates.extend(dice.sample(["lost", "broken"] + [None] * (of - 2), of))
        request.fate = fates.pop()
        return request.fate == "lost"

    proxy.on(draw, drop_reply, times=None)
    proxy.on(lambda request: request.operation == operation and request.fate == "broken", reset_mid_body, times=None)


def numbered(writer, count):
    return b"".join(b"writer %02d line %06d\n" % (writer, number) for number in range(count))


def check_numbered(case, content, writers, count):
    """Checks that every line of every writer is there once and whole, and each writer's lines are in order."""
    case.assertEqual(b"\n", content[-1:])
    seen = {writer: 0 for writer in range(writers)}
    for line in content.split(b"\n")[:-1]:
        words = line.split()
        case.assertEqual((4, 21), (len(words), len(line)), f"not a whole line: {line!r}")
        writer, number = int(words[1]), int(words[3])
        case.assertEqual(seen[writer], number, f"out of order, missing or twice: {line!r}")
        seen[writer] += 1
    case.assertEqual({writer: count for writer in range(writers)}, seen)
