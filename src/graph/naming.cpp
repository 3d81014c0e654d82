#include "graph/naming.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace fusecheck::graph {
namespace {

// Ports that need a name of their own: saved ones, and outputs behind those that the statement names.
std::vector<std::string> unnamed_ports(const Node& node) {
  std::vector<std::string> ports;
  for (std::size_t i = 1 + node.further.size(); i < node.op->outputs.size(); ++i) {
    ports.push_back(node.op->outputs[i].name);
  }
  for (const Port& port : node.op->saved) ports.push_back(port.name);
  return ports;
}

}  // namespace

void name_ports(Body& body) {
  std::map<std::string, int> count;
  for (const Node& node : body.nodes) {
    for (const std::string& name : node.arguments) count[name] = 2;  // taken by an edge or an input
    for (const std::string& name : node.further) count[name] = 2;
    count[node.result] = 2;
  }
  for (const Node& node : body.nodes) {
    for (const std::string& port : unnamed_ports(node)) ++count[port];
  }
  for (Node& node : body.nodes) {
    for (std::size_t i = 0; i < node.further.size(); ++i) node.names[node.op->outputs[i + 1].name] = node.further[i];
    for (const std::string& port : unnamed_ports(node)) {
      node.names[port] = count[port] == 1 ? port : node.result + "_" + port;
    }
  }
}

}  // namespace fusecheck::graph
