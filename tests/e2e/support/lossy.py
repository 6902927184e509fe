"""A network that loses answers, and breaks connections in the middle of a body; and lines that tell who wrote them."""

import random

from .faults import drop_reply, reset_mid_body


def lose(proxy, operation, answers=0.2, bodies=0.2, seed=1):
    """From now on this share of the operation's answers is lost after it was carried out, and this share of its bodies
    breaks off half way. At least one of each must have happened by the end."""
    dice = random.Random(seed)

    def draw(request):
        if request.operation != operation:
            return False
        request.fate = dice.random()
        return True

    proxy.on(lambda r: draw(r) and r.fate < answers, drop_reply, times=None)
    proxy.on(lambda r: r.operation == operation and answers <= r.fate < answers + bodies, reset_mid_body, times=None)


def numbered(writer, count):
    return b"".join(b"writer %02d line %06d\n" % (writer, number) for number in range(count))


def check_numbered(case, content, writers, count):
    """Every line of every writer once, whole, and each writer's in its order."""
    case.assertEqual(b"\n", content[-1:])
    seen = {writer: 0 for writer in range(writers)}
    for line in content.split(b"\n")[:-1]:
        words = line.split()
        case.assertEqual((4, 22), (len(words), len(line)), f"not a whole line: {line!r}")
        writer, number = int(words[1]), int(words[3])
        case.assertEqual(seen[writer], number, f"out of order, missing or twice: {line!r}")
        seen[writer] += 1
    case.assertEqual({writer: count for writer in range(writers)}, seen)
