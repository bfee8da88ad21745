"""Notes which hooks in Python ask the clock, the network, git or a random source; with a shift, the clock is another one."""
import os


def _watch(trace, shift):
    import sys
    import time

    noted = set()

    def note(kind, what):
        if (kind, what) not in noted:
            noted.add((kind, what))
            descriptor = os.open(trace, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.write(descriptor, f"{kind} {what}\n".encode())
            os.close(descriptor)

    def heard(event, arguments):
        if event == "socket.__new__" and arguments[1] != getattr(sys.modules.get("socket"), "AF_UNIX", 1):
            note("network", "socket")
        elif event in ("socket.connect", "socket.getaddrinfo"):
            note("network", event)
        elif event == "import" and arguments[0] in ("random", "secrets", "uuid"):
            note("random", arguments[0])
        elif event == "open" and isinstance(arguments[0], str) and "/.git/" in "/" + arguments[0]:
            note("git", "a file of .git")
        elif event == "open" and arguments[0] in ("/dev/urandom", "/dev/random"):
            note("random", arguments[0])

    def drawn(name, real):
        def asked(*arguments, **named):
            note("random", name)
            return real(*arguments, **named)

        return asked

    os.urandom = drawn("os.urandom", os.urandom)
    loaded = sys.modules.get("random")
    if loaded:
        # It was imported before anything could be heard.
        for name in ("random", "randint", "randrange", "choice", "choices", "uniform", "shuffle", "sample", "getrandbits"):
            setattr(loaded, name, drawn("random." + name, getattr(loaded, name)))

    sys.addaudithook(heard)

    def shifted(name, real, by):
        def asked(*arguments):
            note("clock", "time." + name)
            return real(*arguments) + by

        return asked

    def now(name, real, at):
        def asked(*arguments):
            if len(arguments) <= at:
                note("clock", "time." + name)
                moment = seconds() + shift
                arguments += (moment if at == 0 else local(moment),)
            return real(*arguments)

        return asked

    seconds, local = time.time, time.localtime
    time.time = shifted("time", time.time, shift)
    time.time_ns = shifted("time_ns", time.time_ns, int(shift * 1_000_000_000))
    for name, at in (("localtime", 0), ("gmtime", 0), ("ctime", 0), ("strftime", 1)):
        setattr(time, name, now(name, getattr(time, name), at))

    import datetime as dates

    real = dates.datetime

    class datetime(real):
        @classmethod
        def now(cls, tz=None):
            note("clock", "datetime.now")
            return super().now(tz) + dates.timedelta(seconds=shift)

        @classmethod
        def utcnow(cls):
            note("clock", "datetime.utcnow")
            return super().now(dates.timezone.utc).replace(tzinfo=None) + dates.timedelta(seconds=shift)

        @classmethod
        def today(cls):
            return cls.now()

    class date(dates.date):
        @classmethod
        def today(cls):
            note("clock", "date.today")
            moment = datetime.now()
            return cls(moment.year, moment.month, moment.day)

    for made, name in ((datetime, "datetime"), (date, "date")):
        made.__qualname__ = name
        made.__module__ = "datetime"
        setattr(dates, name, made)


if os.environ.get("BECKET_REPLAY_TRACE"):
    try:
        _watch(os.environ["BECKET_REPLAY_TRACE"], float(os.environ.get("BECKET_REPLAY_SHIFT") or 0))
    except Exception:
        pass
