// Names inside a body that its text does not spell out.
#pragma once

#include "graph/body.hpp"

namespace fusecheck::graph {

// Fills in Node::names by the rule of body.hpp.
void name_ports(Body& body);

}  // namespace fusecheck::graph
