"""What a program tries in the sandbox, and what the model must be told of it. `{…}` stand for things outside."""

from collections.abc import Mapping
from dataclasses import dataclass

SECRET = "canary-0123456789abcdef"


@dataclass(frozen=True, slots=True)
class Attack:
    """A program for a tool. What it is answered holds all of `told`, and none of `never`."""

    tool: str
    text: str
    told: tuple[str, ...]
    never: tuple[str, ...] = (SECRET,)

    def filled(self, things: Mapping[str, str]) -> str:
        """The program, with the things outside put in."""
        text = self.text
        for word, thing in things.items():
            text = text.replace(f"{{{word}}}", thing)
        return text

    def faults(self, told: str) -> list[str]:
        """What is missing from an answer, and what must not stand there."""
        missing = [f"missing: {part}" for part in self.told if part not in told]
        return missing + [f"told: {part}" for part in self.never if part in told]


def shell(text: str, *told: str, never: tuple[str, ...] = (SECRET,)) -> Attack:
    return Attack("shell", text, told, never)


def python(text: str, *told: str, never: tuple[str, ...] = (SECRET,)) -> Attack:
    return Attack("python", text, told, never)


_CALL = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
_CALLS = (
    _CALL
    + """
calls = dict(ptrace=101, mount=165, unshare=272, setns=308, bpf=321, perf_event_open=298, keyctl=250, add_key=248,
             io_uring_setup=425, userfaultfd=323, process_vm_readv=310, process_vm_writev=311, kexec_load=246,
             init_module=175, pivot_root=155, chroot=161, memfd_create=319, open_by_handle_at=304, pidfd_getfd=438,
             personality=135, swapon=167, reboot=169, settimeofday=164, acct=163, syslog=103, move_mount=429)
allowed = []
for name, number in calls.items():
    ctypes.set_errno(0)
    result = libc.syscall(number, 0, 0, 0, 0, 0, 0)
    if (result, ctypes.get_errno()) != (-1, 1):
        allowed.append(name)
print("allowed:", allowed)
flags = 0x10000000 | 17
print("clone", libc.syscall(56, flags, 0, 0, 0, 0), ctypes.get_errno())
print("clone3", libc.syscall(435, 0, 0), ctypes.get_errno())
print("newest", libc.syscall(460, 0, 0), ctypes.get_errno())
"""
)
_CONNECTS = """
import socket
for family, address in (
    (socket.AF_INET, ("127.0.0.1", {port})), (socket.AF_INET, ("192.0.2.1", 80)), (socket.AF_INET, ("8.8.8.8", 53)),
    (socket.AF_INET6, ("2001:db8::1", 80)), (socket.AF_UNIX, "\\0{abstract}"), (socket.AF_UNIX, "{data}/socket"),
):
    try:
        with socket.socket(family) as one:
            one.settimeout(0.3)
            one.connect(address)
            print("connected to", address)
    except OSError as error:
        print("no", error.errno)
try:
    print("found", socket.getaddrinfo("example.com", 80))
except OSError:
    print("no names")
for family in (16, 17, 38, 40):
    try:
        socket.socket(family, socket.SOCK_RAW if family < 38 else socket.SOCK_STREAM)
        print("family", family)
    except OSError as error:
        print("no family", error.errno)
"""
_WRITES = (
    "for place in / /usr /etc /dev /run /bin /proc/sys/kernel {data}; do touch $place/mark && echo wrote $place; done"
)

ATTACKS = {
    "the passwords": shell("cat /etc/shadow; cat /etc/gshadow; id", "No such file"),
    "the studio's data": shell("cat {data}/secret.key; ls -A {data}; ls -A {home}", "No such file"),
    "the homes": shell("ls -A /root /home; cat /root/.bash_history /root/.ssh/*; true", never=(SECRET, ".ssh/id")),
    "writes outside": shell(_WRITES + "; echo done", "done", never=("wrote",)),
    "the environment": shell(
        "env; cat /proc/self/environ /proc/1/environ; echo end", "HOME=/workspace", "end", never=(SECRET, "STUDIO_")
    ),
    "the network": python(_CONNECTS, "no 111", "no 101", "no names", "no family 97", never=("connected", "found")),
    "a fork bomb": shell("bomb() { bomb | bomb & }; bomb; sleep 30", "so it was stopped"),
    "memory": python("kept = []\nwhile True:\n    kept.append(bytearray(10 << 20))", "MemoryError"),
    "memory of many processes": python(
        "import os, time\nfor _ in range(8):\n    if not os.fork():\n        kept = bytearray(60 << 20)\n"
        "        time.sleep(30)\n"
        "time.sleep(30)",
        "of memory; at most 268.4 MB are allowed, so it was stopped",
    ),
    "shared memory": shell(
        "for i in 1 2 3; do head -c 3000000 /dev/zero > /dev/shm/$i; head -c 3000000 /dev/zero > /tmp/$i; done",
        "No space left",
    ),
    "a busy loop": shell("echo begun; while :; do :; done", "it took longer than 1 s", "begun"),
    "a sleep that ignores signals": shell("trap '' TERM INT HUP QUIT; echo begun; sleep 60", "took longer", "begun"),
    "20 MB of output": shell(
        "echo first; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo last", "first", "last", "20.0 MB left out"
    ),
    "looking into processes": python(
        _CALL
        + "print(libc.ptrace(0, 0, 0, 0), ctypes.get_errno())\ntry:\n    print(open('/proc/1/mem', 'rb').read(1))\n"
        "except OSError as error:\n    print('closed', error.errno)",
        "-1 1",
        "closed",
    ),
    "links out of the workspace": shell(
        "ln -s {data} out; ln -s /etc/shadow shadow; cat out/secret.key shadow; ls -d out shadow", "No such file"
    ),
    "devices": shell(
        "mknod disk b 8 0; mknod mem c 1 1; "
        "ls /dev/mem /dev/kmem /dev/kmsg /dev/sda /dev/vda /dev/kvm /dev/fuse; ls /dev",
        "Operation not permitted",
        "No such file",
        never=("/dev/mem\n", "/dev/vda\n", "/dev/kmsg\n"),
    ),
    "setuid programs": shell(
        "cp /usr/bin/id own; chmod 4755 own; install -m 4755 /usr/bin/id own2; stat -c '%a %n' own own2; "
        "su -c id; mount -t tmpfs none /tmp; grep NoNewPrivs /proc/self/status; id -u",
        "NoNewPrivs:\t1",
        never=("uid=0", "4755 own"),
    ),
    "what stays behind": shell("(setsid nohup sleep 300 >/dev/null 2>&1 &) ; (sleep 300 & disown); echo gone", "gone"),
    "the machine's processes": python(
        "import os\npids = [int(n) for n in os.listdir('/proc') if n.isdecimal()]\nprint('few', max(pids) < 20)\n"
        "print('host', os.path.exists('/proc/{pid}'))\ntry:\n    os.kill({pid}, 0)\nexcept ProcessLookupError:\n"
        "    print('no such process')",
        "few True",
        "host False",
        "no such process",
    ),
    "the kernel's doors": shell(
        "ls /sys; ls /sys/fs/cgroup; echo 1 > /proc/sys/kernel/panic; echo c > /proc/sysrq-trigger; "
        "echo x > /proc/sys/kernel/core_pattern; dmesg; cat /proc/kcore | head -c 1; echo end",
        "cannot access '/sys'",
        "end",
    ),
    "the kernel's calls": python(_CALLS, "allowed: []", "clone -1 1", "clone3 -1 38", "newest -1 38"),
    "new namespaces": shell(
        "unshare -Ur id; unshare -n true; nsenter -t 1 -m true; true", "Operation not permitted", never=("uid=0",)
    ),
    "a terminal": python(
        "import fcntl\nfor call in (0x5412, 0x541c):\n    try:\n        fcntl.ioctl(0, call, b'x')\n"
        "    except OSError as error:\n        print('no', error.errno)",
        "no 1\nno 1",
    ),
    "open descriptors": python("import os\nprint(sorted(map(int, os.listdir('/proc/self/fd'))))", "[0, 1, 2, 3]"),
    "a large file": shell("head -c 9000000 /dev/zero > large; stat -c %s large", "File size limit exceeded", "4194304"),
    "many large files": shell(
        "for i in $(seq 100); do head -c 4000000 /dev/zero > f$i; sleep 0.05; done",
        "at most 10.5 MB are allowed, so it was stopped",
    ),
    "many small files": python(
        "import os, itertools\nfor i in itertools.count():\n    open(str(i), 'w').close()",
        "at most 1,000 are allowed, so it was stopped",
    ),
    "many open files": python("kept = []\nwhile True:\n    kept.append(open('/dev/null'))", "Too many open files"),
}
