"""All tables and figures of the five papers."""

from figures import cluster22, hpdc15, hybrid_glb_apgas18, icpp21, jip16
from figures.model import Figure

PAPERS = (cluster22, icpp21, hpdc15, jip16, hybrid_glb_apgas18)


def every():
    return [figure for paper in PAPERS for figure in paper.FIGURES]


def measured():
    return [figure for figure in every() if isinstance(figure, Figure)]


def named(names):
    """The measured figures of these names; KeyError, whose argument says what there is, of another name."""
    known = {figure.name: figure for figure in every()}
    for name in names:
        if not isinstance(known.get(name), Figure):
            raise KeyError("%s is %s; regenerated are %s" % (
                name, "%s, with nothing to run" % known[name].kind if name in known else "no table or figure",
                ", ".join(figure.name for figure in measured())))
    return [known[name] for name in names]
