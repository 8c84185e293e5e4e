"""What a figure is: rows, each a number that runs give and, where there is one, the number that is published."""

import dataclasses
import shlex
import statistics

from measuring import shared

# How far a number may be from the published one before the page has to say why.
FAR = 0.2


@dataclasses.dataclass(frozen=True)
class Run:
    """One run. `also` is what is kept beside what the program prints: "timeline" or "phases" of a trace."""
    binary: str
    program: str
    net: str
    ranks: int
    also: str = ""

    def command(self, folder="bazel-bin/bench"):
        command = shared.command_of("%s/%s" % (folder, self.binary), self.program, self.net, self.ranks)
        if not self.net:  # a real machine
            command.remove("--net=")
        return command[:-1] if self.also == "phases" else command  # microbenchmarks of Google's have no --json

    def on(self, net):
        """The same on another simulated machine."""
        return dataclasses.replace(self, net=net)

    def words(self):
        return shlex.join(self.command())

    def key(self):
        return key_of(self.command(), self.also)


def key_of(command, also=""):
    """The same of any two commands that run the same: the order of flags and the folder do not matter."""
    binary, *words = command
    return (binary.rsplit("/", 1)[-1], also) + tuple(sorted(set(words) - {"--json", "--victim_seed=1"}))


def seeded(binary, program, net, ranks, seeds=1, also=""):
    """The run with each --victim_seed from 1."""
    return [Run(binary, "%s --victim_seed=%d" % (program, seed), net, ranks, also) for seed in range(1, seeds + 1)]


@dataclasses.dataclass(frozen=True)
class Row:
    """A number of a figure. `tries` are the runs that it is computed from, once for each seed. Published is a number or
    a pair of them, the least and the most, of which the first may be None."""
    panel: str
    series: str
    x: object
    tries: tuple
    value: object  # of the records of one try, as arguments
    published: object = None
    form: str = "{:.3g}"  # how its values are written; "" for counts and times alike
    given: bool = False   # whether the published number is an input of the simulated machine

    def __post_init__(self):
        """A try of one run may be given as that run."""
        object.__setattr__(self, "tries", tuple(one if isinstance(one, tuple) else (one,) for one in self.tries))

    def text(self, value):
        return (self.form or ("{:,.0f}" if abs(value) >= 1000 else "{:.4g}")).format(value)

    def runs(self):
        return [run for runs in self.tries for run in runs]

    @property
    def is_bound(self):
        return isinstance(self.published, tuple) and self.published[0] is None

    def ratio(self, value):
        """The value by the published one; by the nearer end of a pair that it is not between; or None."""
        if self.published is None:
            return None
        if not isinstance(self.published, tuple):
            return value / self.published
        least, most = self.published
        if least is not None and value < least:
            return value / least
        return value / most if value > most else 1


@dataclasses.dataclass
class Panel:
    """How the rows of one panel are written and drawn."""
    x: str
    y: str
    log_x: bool = False
    log_y: bool = False


@dataclasses.dataclass
class Figure:
    """A figure or table that was measured. `rows(size)` has the rows of a size: "page", "small" or "full". It and
    `experiments` may be generators, and return lists then."""
    name: str
    number: str
    caption: str
    where: str       # where what is published stands
    panels: dict
    rows: object
    says: str        # how well it agrees
    why: str = ""    # why not, where it does not
    experiments: object = lambda: []
    draw: object = None
    smaller: str = ""  # how what is run is smaller than the paper's
    kind: str = "measured"

    def __post_init__(self):
        rows, experiments = self.rows, self.experiments
        self.rows, self.experiments = lambda size: list(rows(size)), lambda: list(experiments())

    @property
    def is_drawn(self):
        """Whether it is drawn: a table is not, since its numbers have many units."""
        return not self.number.startswith("Table")

    def results(self, size, records):
        return results_of(self.rows(size), records)


@dataclasses.dataclass
class Other:
    """A figure or table with nothing to run: an illustration, a setup, or what cannot be regenerated here."""
    name: str
    number: str
    kind: str
    caption: str


@dataclasses.dataclass
class Result:
    """A row with its values, one for each try whose runs are all there."""
    row: Row
    values: list

    @property
    def middle(self):
        return statistics.median(self.values)

    @property
    def ratio(self):
        return self.row.ratio(self.middle)

    @property
    def kept(self):
        """Whether the values of all seeds keep the bound."""
        return max(self.row.ratio(value) for value in self.values) <= 1

    @property
    def far(self):
        return self.ratio is not None and abs(self.ratio - 1) > FAR


def results_of(rows, records):
    """Results of the rows with a record of all runs of at least one try, by Run.key()."""
    results = []
    for row in rows:
        tries = [[records.get(run.key()) for run in runs] for runs in row.tries]
        values = [row.value(*kept) for kept in tries if None not in kept]
        if values:
            results.append(Result(row, values))
    return results


def missing(rows, records):
    """The rows of which no try has all its runs recorded."""
    return [row for row in rows if not any(all(run.key() in records for run in runs) for runs in row.tries)]


def summary(results):
    """How many numbers are compared, and how many near; the median deviation; how many bounds there are, and how many
    are kept with every seed; how many numbers are inputs. None where nothing is published."""
    known = [result for result in results if result.ratio is not None]
    bounds = [result for result in known if result.row.is_bound]
    compared = [result for result in known if not result.row.is_bound and not result.row.given]
    if not known:
        return None
    found = {"compared": len(compared), "near": sum(not result.far for result in compared),
             "bounds": len(bounds), "kept": sum(result.kept for result in bounds),
             "given": sum(result.row.given for result in known)}
    if compared:
        found["median_deviation"] = statistics.median(abs(result.ratio - 1) for result in compared)
    return found
