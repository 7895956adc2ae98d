#include "cloth_reducer.h"

namespace rigspace {

ClothReducer::ClothReducer(std::shared_ptr<const ClothReduction> reduction, const TriMesh& body,
                           const BodyPlanesOptions& planes)
    : reduction_(std::move(reduction)),
      moving_(reduction_->reference),
      still_(reduction_->reference),
      solver_(*reduction_->database, moving_, reduction_->options),
      planes_(body, planes) {}

Vec ClothReducer::solve(const Objective& objective, const HalfSpaces& body, double from, double to, In x,
                        double decrease) {
  reduction_->joints(from, C_);
  moving_.set_pose(C_);
  moving_.untransform(x, y_);
  reduction_->joints(to, C_);
  moving_.set_pose(C_);
  Vec moved;
  moving_.transform(y_, moved);
  remove_root_motion(reduction_->root, C_);
  still_.set_pose(C_);
  still_.transform(still_.rest(), shape_);
  solver_.set_decrease(decrease);
  solver_.solve(objective, reduction_->database->parameters().position(shape_), moved, &body);
  return moved;
}

}  // namespace rigspace
