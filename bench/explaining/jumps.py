"""Calls that end a function, and that the compiler has made jumps: they return to who called that function.

The disassembly, by objdump of binutils, tells where the jump is.
"""

import bisect
import functools
import itertools
import re
import subprocess

# In the names of the functions by which a mechanism reaches the network.
SHIM = "3rma7backend"
HEAD = re.compile(r"([0-9a-f]+) <(.+)>:")
INSTRUCTION = re.compile(r" *([0-9a-f]+):\s+(\S+) *(?:[0-9a-f]+ <([^>+]+)(\+0x[0-9a-f]+)?>)?")


class Jumps:
    def __init__(self, disassembly):
        # The callee of each call, in order of addresses; the jumps of each function.
        self.calls, self.jumps = {}, {}
        function = None
        for line in disassembly.splitlines():
            if line.endswith(">:"):
                function = HEAD.match(line)[2]
                continue
            # Of a hundred lines some ten are of interest.
            instruction = INSTRUCTION.match(line) if "call" in line or "jmp" in line else None
            if instruction is None:
                continue
            address, name, callee = int(instruction[1], 16), instruction[2], instruction[3]
            if name.startswith("call"):
                self.calls[address] = callee
            elif name == "jmp" and callee not in (None, function) and not instruction[4]:
                self.jumps.setdefault(function, []).append((address, callee))
        self.addresses = list(self.calls)

    @classmethod
    @functools.lru_cache(maxsize=None)
    def of(cls, binary):
        return cls(subprocess.run(["objdump", "-d", "--no-show-raw-insn", binary], capture_output=True, text=True,
                                  check=True).stdout)

    def before(self, address, names):
        """The addresses of the jumps, the last one first, by which the function that the call before `address` calls
        came to one of these functions of the shim: those that all ways there have in common.
        """
        at = bisect.bisect_left(self.addresses, address) - 1
        callee = self.calls[self.addresses[at]] if at >= 0 else None
        if callee is None or SHIM in callee:
            return []
        ways = list(self.ways(callee, ["%s%d%sE" % (SHIM, len(name), name) for name in names], ()))
        return [jumps[0] for jumps in itertools.takewhile(lambda jumps: len(set(jumps)) == 1, zip(*ways))]

    def ways(self, function, wanted, passed):
        for jump, to in self.jumps.get(function, []):
            if SHIM in to:
                if any(name in to for name in wanted):
                    yield [jump]
            elif to not in passed:
                for way in self.ways(to, wanted, (*passed, function)):
                    yield way + [jump]
