#include "neighbour_victim.h"

#include "common/stealing/victim_selection_suite.h"

MAGPIE_VICTIM_SELECTION_SUITE(NeighbourVictim, NeighbourVictim);
