"""The mutants: mistakes that one could make in the runtime, and exploration has to find.

They stand in a file for each package that they break, made of parts.bzl. Starlark for the BUILD
file, and so little of it that the scripts read it as Python. Of each:

  name    of the binary, before mutant()
  breaks  the invariant, and where it stands: the mistake instead. One mutant for each
          invariant, that which takes the most seeds
  edits   (end of a file's path, old text, new text); old text, which quotes no comment, is found
          exactly once, white space and comments aside; a header's before those of headers that
          include it
  run     program and flags with which it is explored, under --memory=tso where they do not say
  within  the number of seeds within which it must fail: several times as many as it took
          from seed 1, 10001, 20001, ..., since other compilers lay out other frames
  control what must pass the same seeds, where that is not "none"
  runtime of runtimes/ or its variants/, where it is not cont_greedy; or the path of one elsewhere
  test    in which it is, where it is in no runtime; its program is "alone"
"""

load(":child_steal.bzl", "CHILD_STEAL")
load(":cont_sws.bzl", "CONT_SWS")
load(":glb_lifeline.bzl", "GLB_LIFELINE")
load(":greedy_join.bzl", "GREEDY_JOIN")
load(":parts.bzl", "EAGER", "made", "mutant", "seeds")
load(":shared.bzl", "SHARED")
load(":sws_queue.bzl", "SWS_QUEUE")
load(":uniaddr.bzl", "UNIADDR")

_CONTROLS = {
    "none": mutant("nothing", [], seeds(0, [])),
    # Of the mutants with EAGER.
    "none_eager": mutant("nothing", EAGER, seeds(0, [])),
}

MUTANTS = made(_CONTROLS) + UNIADDR + GREEDY_JOIN + CHILD_STEAL + SWS_QUEUE + CONT_SWS + GLB_LIFELINE + SHARED
