"""What hostile code tries, and the words that tell how it was contained.

Variables the code is given: `key` and `open_file` (files of the host that every user may read,
the second one may write), `open_folder`, `host_pid`, `guest` (folder of the worker's scripts).
Code that reaches its goal prints ESCAPED.
"""

from __future__ import annotations

from dataclasses import dataclass

REFUSED = r"PermissionError|FileNotFoundError|Read-only file system|Operation not permitted"
NO_ROOT = REFUSED + "|Invalid argument"
FENCE = r"only files in the working folder|isolated process may not|not available in the isolated"


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack.

    Args:
        name: What it tries.
        code: The code.
        told: Pattern that the words about its end match.
        seconds: Wall-clock limit.
        stops: Whether the process has to be dead afterwards; None if either will do.
    """

    name: str
    code: str
    told: str
    seconds: float = 8.0
    stops: bool | None = False


LIBC = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def call(result):
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    print("ESCAPED")
"""

READING = (
    Attack("read a planted key", "print('ESCAPED', open(key).read())", FENCE),
    Attack("read the shadow file", "print('ESCAPED', open('/etc/shadow').read())", FENCE),
    Attack("read the host's accounts", "print('ESCAPED', open('/etc/passwd').read())", FENCE),
    Attack("list a folder of the host", "import os; print('ESCAPED', os.listdir('/home'))", FENCE),
    Attack(
        "climb out with dots",
        "import os; print('ESCAPED', open('../' * 30 + key.lstrip('/')).read())",
        FENCE,
    ),
    Attack(
        "follow a symbolic link",
        "import os; os.symlink(key, 'mine'); print('ESCAPED', open('mine').read())",
        FENCE,
    ),
    Attack(
        "link a folder of the host",
        "import os; os.symlink(os.path.dirname(key), 'd'); print('ESCAPED', os.listdir('d'))",
        FENCE,
    ),
    Attack("hard link a file", "import os; os.link(key, 'mine'); print('ESCAPED')", FENCE),
    Attack("hard link a writable file", "import os; os.link(open_file, 'm')", FENCE),
    Attack(
        "go through the root of its own process",
        "print('ESCAPED', open('/proc/self/root' + key).read())",
        FENCE,
    ),
    Attack(
        "go through the root of the first process",
        "print('ESCAPED', open('/proc/1/root' + key).read())",
        FENCE,
    ),
    Attack(
        "read the environment of the host's process",
        "print('ESCAPED', open(f'/proc/{host_pid}/environ').read())",
        FENCE,
    ),
    Attack(
        "read the environment of every process",
        """
import os
found = b""
for pid in range(1, 40000):
    try:
        found += open(f"/proc/{pid}/environ", "rb").read()
    except OSError:
        pass
print("ESCAPED" if b"PLANTED" in found else "nothing", len(found))
""",
        "nothing 0",
    ),
    Attack(
        "find a secret in its own environment",
        "import os; print('ESCAPED' if 'PLANTED_API_KEY' in os.environ else sorted(os.environ))",
        r"\['HOME', 'LANG'",
    ),
    Attack(
        "find a secret in its memory",
        LIBC + "print('ESCAPED' if libc.getenv(b'PLANTED_API_KEY') else 'no such variable')",
        "no such variable",
    ),
    Attack("read memory of the machine", "print('ESCAPED', open('/dev/mem', 'rb').read(9))", FENCE),
    Attack("read the disk", "print('ESCAPED', open('/dev/vda', 'rb').read(9))", FENCE),
    Attack(
        "use inherited descriptors",
        """
import os
kinds = set()
for number in range(5000):
    try:
        kinds.add(os.fstat(number).st_mode & 0o170000)
    except OSError:
        pass
print("pipes and devices" if kinds <= {0o010000, 0o020000} else f"ESCAPED {kinds}")
""",
        "pipes and devices",
    ),
    Attack("read standard input", "input()", "EOFError"),
    Attack(
        "run a shell that reads the key",
        "import subprocess as s; print(s.run(['/bin/sh','-c','cat '+key],capture_output=True))",
        r"returncode=[1-9]",
    ),
)

WRITING = (
    Attack("write into a file of the host", "open(open_file, 'w').write('ESCAPED')", FENCE),
    Attack("cut a file of the host short", "import os; os.truncate(open_file, 0)", FENCE),
    Attack("make a file outside", "open(open_folder + '/new', 'w')", FENCE),
    Attack("make a folder outside", "import os; os.mkdir(open_folder + '/new')", FENCE),
    Attack("remove a file of the host", "import os; os.unlink(open_file)", FENCE),
    Attack(
        "move a file out", "open('x', 'w'); import os; os.rename('x', open_folder + '/x')", FENCE
    ),
    Attack("change a file's mode", "import os; os.chmod(open_file, 0o777)", FENCE),
    Attack("change a file's time", "import os; os.utime(open_file, (0, 0))", REFUSED),
    Attack(
        "change installed packages",
        "import json; open(json.__file__, 'a').write('x'); print('ESCAPED')",
        FENCE,
    ),
    Attack(
        "overwrite the worker",
        "open(guest + '/worker.py', 'w').write('x'); print('ESCAPED')",
        FENCE,
    ),
    Attack("write into the root folder", "open('/new', 'w'); print('ESCAPED')", FENCE),
    Attack(
        "have a library write outside",
        "import shelve; shelve.open(open_folder + '/new')['x'] = 1; print('ESCAPED')",
        FENCE,
    ),
    Attack(
        "have an array library write outside",
        "import numpy; numpy.save(open_folder + '/new.npy', numpy.ones(3)); print('ESCAPED')",
        FENCE,
    ),
    Attack(
        "have C code write outside",
        LIBC + "call(-1 if libc.fopen((open_folder + '/new').encode(), b'w') in (0, None) else 0)",
        REFUSED + "|Permission denied|No such file",
    ),
    Attack(
        "fill the disk with one file",
        "f = open('big', 'wb')\nfor _ in range(1000): f.write(bytes(1 << 20))\nprint('ESCAPED')",
        r"disk limit of 4 MiB",
        stops=None,
    ),
    Attack(
        "fill the disk with many files",
        "for n in range(1000): open(f'f{n}', 'wb').write(bytes(1 << 20))\nprint('ESCAPED')",
        r"disk limit of 4 MiB",
        stops=None,
    ),
    Attack(
        "fill the disk with empty files",
        "for n in range(1_000_000): open(f'f{n}', 'wb').close()\nprint('ESCAPED')",
        r"disk limit",
        stops=None,
    ),
    Attack(
        "fill the disk with deleted files",
        """
import os, time
kept = []
for n in range(40):
    kept.append(open("f", "wb", buffering=0))
    os.unlink("f")
    kept[-1].write(bytes(3 << 20))
    time.sleep(0.02)
print("ESCAPED")
""",
        r"disk limit of 4 MiB",
        stops=None,
    ),
    Attack(
        "nest folders endlessly",
        "import os\nwhile True:\n    os.mkdir('d'); os.chdir('d')",
        r"disk limit",
        stops=None,
    ),
    Attack(
        "fill shared memory",
        "f = open('/dev/shm/x', 'wb')\nwhile True: f.write(bytes(1 << 20))",
        FENCE,
    ),
    Attack(
        "hide memory in a file of memory",
        "import os; os.memfd_create('x'); print('ESCAPED')",
        REFUSED,
    ),
)

RESOURCES = (
    Attack(
        "fork bomb",
        """
import os, time
while True:
    if os.fork() == 0:
        time.sleep(0.05)
""",
        r"too many processes: the limit is 16|wall-clock limit of 2 s|CPU limit",
        2,
        stops=None,
    ),
    Attack(
        "thread bomb",
        "import threading, time\n"
        "while True: threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
        r"too many processes: the limit is 16",
    ),
    Attack("memory bomb of bytes", "x = bytes(4 << 30); print('ESCAPED')", "memory limit of 512"),
    Attack(
        "memory bomb of a list",
        "x = []\nwhile True: x.append(bytes(1 << 20))",
        "memory limit of 512",
    ),
    Attack(
        "memory bomb of a map",
        "import mmap; mmap.mmap(-1, 4 << 30); print('ESCAPED')",
        "memory limit of 512",
    ),
    Attack(
        "memory bomb of many children",
        """
import os, time
for n in range(12):
    if os.fork() == 0:
        x = bytearray(b"x") * (200 << 20)
        time.sleep(20)
time.sleep(20)
print("ESCAPED")
""",
        "memory limit of 512",
        20,
        stops=True,
    ),
    Attack("endless loop", "while True: pass", "wall-clock limit of 0.4 s", 0.4, stops=True),
    Attack(
        "busy loop in C",
        "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
        "wall-clock limit of 0.4 s",
        0.4,
        stops=True,
    ),
    Attack("sleep", "import time; time.sleep(1e6)", "wall-clock limit of 0.3 s", 0.3, stops=True),
    Attack(
        "ignore signals",
        "import signal\nfor n in range(1, 32):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n    except OSError: pass\nwhile True: pass",
        "wall-clock limit of 0.4 s",
        0.4,
        stops=True,
    ),
    Attack(
        "use up processor time, ignoring the warning",
        "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
        r"CPU limit of 1.5 s",
        25,
        stops=True,
    ),
    Attack(
        "open many files",
        "kept = [open('/dev/null') for _ in range(10_000)]; print('ESCAPED')",
        r"too many open files: the limit is 64",
    ),
    Attack(
        "raise its limits",
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1)); print('ESCAPED')",
        r"not allowed to raise|PermissionError",
    ),
    Attack(
        "change limits of the host",
        "import resource as r; r.prlimit(host_pid, r.RLIMIT_CPU, (1, 1)); print('ESCAPED')",
        r"PermissionError|ProcessLookupError",
    ),
    Attack(
        "print without end",
        "while True: print('x' * 100_000)",
        r"output limit of 50000 bytes",
        stops=True,
    ),
    Attack(
        "print a gigabyte at once",
        "import os\nfor _ in range(1 << 14): os.write(1, bytes(1 << 16))",
        r"output limit of 50000 bytes",
        stops=True,
    ),
    Attack("leave a core", "import os; os.abort()", "killed by SIGABRT", stops=True),
)

KERNEL = (
    Attack("connect", "import socket; socket.create_connection(('127.0.0.1', 80), 1)", FENCE),
    Attack(
        "send a datagram",
        "import socket as s; s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b'x', ('1.1.1.1', 53))",
        FENCE,
    ),
    Attack("resolve a name", "import socket; socket.getaddrinfo('example.org', 80)", FENCE),
    Attack("make a Unix socket", "import socket; socket.socket(socket.AF_UNIX)", FENCE),
    Attack(
        "connect to an abstract socket",
        "import socket; socket.socket(socket.AF_UNIX).connect('\\0/tmp/dbus')",
        FENCE,
    ),
    Attack("make a netlink socket", "import socket; socket.socket(16, 3, 0)", FENCE),
    Attack("make a socket from C", LIBC + "call(libc.socket(2, 1, 0))", REFUSED),
    Attack(
        "fetch a page", "import urllib.request as u; u.urlopen('http://1.1.1.1')", "not available"
    ),
    Attack("mount", LIBC + "call(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None))", REFUSED),
    Attack("trace the host", LIBC + "call(libc.ptrace(16, host_pid, None, None))", REFUSED),
    Attack("become root", "import os; os.setuid(0); print('ESCAPED')", NO_ROOT),
    Attack("become root from C", LIBC + "call(libc.setresuid(0, 0, 0))", NO_ROOT),
    Attack("make namespaces", LIBC + "call(libc.unshare(0x10000000))", REFUSED),
    Attack("enter a namespace", LIBC + "call(libc.setns(3, 0))", REFUSED),
    Attack("change the root", "import os; os.chroot('/tmp'); print('ESCAPED')", REFUSED),
    Attack("use the kernel's keys", LIBC + "call(libc.syscall(250, 0, -3, 0))", REFUSED),
    Attack("load a module", LIBC + "call(libc.syscall(175, None, 0, b''))", REFUSED),
    Attack("load a filter program", LIBC + "call(libc.syscall(321, 0, None, 0))", REFUSED),
    Attack("watch files", LIBC + "call(libc.inotify_init())", REFUSED),
    Attack("use io_uring", LIBC + "call(libc.syscall(425, 1, None))", REFUSED),
    Attack(
        "read another process's memory",
        LIBC + "call(libc.process_vm_readv(host_pid, None, 0, None, 0, 0))",
        REFUSED,
    ),
    Attack(
        "call by the old numbers", LIBC + "call(libc.syscall(0x40000000 + 41, 2, 1, 0))", "Errno"
    ),
    Attack(
        "call as a 32-bit process",
        """
import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=7)
code.write(bytes.fromhex("b814000000cd80c3"))
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
print("ESCAPED")
""",
        "killed by SIG(SYS|ILL|SEGV)",
        stops=True,
    ),
    Attack("reboot", LIBC + "call(libc.reboot(0x01234567))", REFUSED),
    Attack("set the clock", "import time; time.clock_settime(0, 0); print('ESCAPED')", REFUSED),
)

PROCESSES = (
    Attack(
        "kill the host",
        "import os; os.kill(host_pid, 9); print('ESCAPED')",
        r"PermissionError|ProcessLookupError",
    ),
    Attack(
        "kill its parent",
        "import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(0.3)\nfinal_answer('goes on')",
        r"PermissionError|goes on",
    ),
    Attack(
        "kill everything",
        "import os, signal\nos.kill(-1, signal.SIGTERM)\nfinal_answer('goes on')",
        r"PermissionError|killed by SIGTERM|goes on|ProcessLookupError",
        stops=None,
    ),
    Attack("leave by exit", "import os; os._exit(3)", "ended itself with exit code 3", stops=True),
    Attack("leave by SystemExit", "import sys; sys.exit(3)", "SystemExit: 3"),
    Attack(
        "read a null pointer",
        "import ctypes; ctypes.string_at(0)",
        "killed by SIGSEGV",
        stops=True,
    ),
    Attack("kill itself", "import os; os.kill(os.getpid(), 9)", "killed by SIGKILL", stops=True),
    Attack(
        "leave a daemon",
        """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for descriptor in range(5000):
            try: os.close(descriptor)
            except OSError: pass
        time.sleep(60)
    os._exit(0)
os.wait()
final_answer("left")
""",
        "left",
    ),
    Attack(
        "leave a daemon and go",
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\nos._exit(0)",
        "exit code 0",
        stops=True,
    ),
    Attack(
        "run a program without an interpreter's care",
        LIBC + "libc.execv(b'/bin/sh', (ctypes.c_char_p * 4)(b'sh', b'-c', b'exit 7', None))",
        "exit code 7",
        stops=True,
    ),
    Attack(
        "have the linker load code of its own",
        """
import os, subprocess
open("evil.so", "w").write("not a library")
r = subprocess.run(["/bin/sh", "-c", "cat " + key], env={"LD_PRELOAD": "./evil.so"},
                   capture_output=True)
print(r.returncode != 0 and not r.stdout and "nothing read")
""",
        "nothing read",
    ),
    Attack(
        "keep every pid",
        "import os\nfor n in range(99):\n    if not os.fork(): os._exit(0)",
        "too many processes: the limit is 16",
    ),
)

FORGING = (
    Attack(
        "answer with a payload for pickle",
        """
import os
class Payload:
    def __reduce__(self):
        return os.system, ("touch " + open_folder + "/pickled",)
final_answer(Payload())
""",
        "is of type Payload; use numbers, text, lists and dicts",
    ),
    Attack(
        "answer with bytes of pickle", "import pickle; final_answer(pickle.dumps(1))", "type bytes"
    ),
    Attack(
        "forge a result",
        """
import os
for number in range(3, 5000):
    try:
        os.write(number, b'{"id": 999, "finished": true, "value": 1}\\n')
    except OSError:
        pass
""",
        "what is no result",
        stops=True,
    ),
    Attack(
        "write rubbish for a result",
        "import os\nfor n in range(3, 5000):\n    try: os.write(n, bytes(range(256)) + b'\\n')\n"
        "    except OSError: pass",
        "what is no result",
        stops=True,
    ),
    Attack(
        "write brackets without end",
        "import os\nfor n in range(3, 5000):\n"
        "    try: os.write(n, b'[' * 60000 + b'\\n')\n    except OSError: pass",
        "what is no result",
        stops=True,
    ),
    Attack(
        "write a line without end",
        "import os\nfor n in range(3, 5000):\n    try:\n"
        "        while True: os.write(n, b'x' * 60000)\n    except OSError: pass",
        "answer limit",
        stops=True,
    ),
    Attack(
        "close the pipes",
        "import os, time\nos.closerange(3, 5000)\ntime.sleep(9)",
        r"closed its pipe|ended itself|what is no result",
        stops=True,
    ),
    Attack("answer with a gigabyte", "final_answer('x' * (100 << 20))", r"at most|memory limit"),
    Attack("answer with no number", "final_answer({'x': float('nan')})", "not a finite number"),
    Attack(
        "answer with infinity", "import numpy; final_answer(numpy.array([numpy.inf]))", "finite"
    ),
    Attack("answer with itself", "x = []; x.append(x); final_answer(x)", "nests deeper than 64"),
    Attack(
        "change the worker from inside",
        """
import builtins, json, os, sys
json.dumps = json.loads = builtins.print = builtins.open = lambda *a, **k: "forged"
sys.modules["guest.running"].Runner.run = lambda self, code: ("1e999", "")
sys.stdout = None
final_answer(1)
""",
        "what is no result",
        stops=True,
    ),
)

ATTACKS = READING + WRITING + RESOURCES + KERNEL + PROCESSES + FORGING
