// A case as a plug-in sees it: fusecheck_case with everything that it points to.
#pragma once

#include <string>
#include <vector>

#include "fusecheck/fusecheck_plugin.h"
#include "plugin/case_folder.hpp"
#include "plugin/guarded_buffer.hpp"

namespace fusecheck::plugin {

class CaseView {
 public:
  // Without memory for the tensors. `folder` must live as long.
  explicit CaseView(const CaseFolder& folder);
  CaseView(const CaseView&) = delete;
  CaseView& operator=(const CaseView&) = delete;

  // One buffer for each tensor: the inputs in the order of the folder, then the outputs.
  void attach(const std::vector<GuardedBuffer>& buffers);
  const fusecheck_case& get() const { return view_; }

 private:
  struct Geometry {
    Shape shape, strides;  // as stored; strides in bytes
  };
  std::vector<Geometry> geometries_;  // inputs, then outputs
  std::vector<fusecheck_tensor> inputs_, outputs_;
  std::vector<fusecheck_attribute> attributes_;
  fusecheck_case view_;
};

}  // namespace fusecheck::plugin
