// Any Python callable as a rig.

#include "module.h"

#include "rigspace/base/error.h"
#include "rigspace/rig/black_box.h"
#include "rigspace/rig/differences.h"

#include <pybind11/stl.h>

namespace rigspace::python {
namespace {

struct Callables {
  std::shared_ptr<py::object> evaluate;  ///< p to (N, 3); with `batch` poses (k, n) to (k, N, 3)
  std::shared_ptr<py::object> jacobian;  ///< p to (3 N, n); None: by differences
  bool batch = false;
};

/// BlackBoxRig's checks, with batches and derivatives where Python has them.
class PythonRig final : public Rig {
 public:
  PythonRig(std::string name, std::vector<Control> controls, Callables callables, double noise)
      : name_(std::move(name)), controls_(std::move(controls)), callables_(std::move(callables)), noise_(noise) {
    BlackBoxDescription{.controls = controls_, .evaluate = [](In, Vec&) {}, .name = name_}.validate();
    const auto workspace = make_workspace();
    Vec s;
    points_ = -1;  // unknown until the first evaluation
    evaluate(*workspace, rest(), s);
    points_ = static_cast<int>(s.size() / 3);
    if (noise_ >= 0) return;
    noise_ = 0;
    noise_ = estimate_noise(*this, *workspace, rest());
  }

  std::span<const Control> controls() const override { return controls_; }
  int point_count() const override { return points_; }
  Traits traits() const override {
    return {.exact_jacobian = callables_.jacobian != nullptr, .concurrent = false, .noise = noise_};
  }

  void evaluate(Workspace&, In p, Vec& s) const override {
    if (callables_.batch) {
      Mat S;
      ask(p, S);
      s = S.col(0);
      return;
    }
    const py::gil_scoped_acquire gil;
    const Array answer((*callables_.evaluate)(array_from(p)));
    s = points_from(answer, points_, (name_ + "'s answer").c_str());
    require_finite(s);
  }

  void evaluate_batch(Workspace& workspace, const Mat& P, Mat& S) const override {
    if (!callables_.batch) return Rig::evaluate_batch(workspace, P, S);
    ask(P, S);
  }

  void jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const override {
    if (callables_.jacobian == nullptr) return Rig::jacobian(workspace, p, free, J);
    const py::gil_scoped_acquire gil;
    const Array rows((*callables_.jacobian)(array_from(p)));
    const py::ssize_t columns = static_cast<py::ssize_t>(controls_.size());
    if (rows.ndim() != 2 || rows.shape(0) != 3 * points_ || rows.shape(1) != columns)
      refuse_shape("jacobian's answer", rows, "(" + std::to_string(3 * points_) + ", " + std::to_string(columns) + ")");
    J.columns = static_cast<int>(free.size());
    J.start.assign(1, 0);
    J.column.clear();
    std::vector<double> values;
    for (int i = 0; i < points_; ++i) {
      for (int k = 0; k < J.columns; ++k) {
        const double* at = rows.data() + 3 * i * columns + free[k];
        if (at[0] == 0 && at[columns] == 0 && at[2 * columns] == 0) continue;
        J.column.push_back(k);
        values.insert(values.end(), {at[0], at[columns], at[2 * columns]});
      }
      J.start.push_back(static_cast<int>(J.column.size()));
    }
    J.value = Eigen::Map<const Eigen::Matrix3Xd>(values.data(), 3, static_cast<Eigen::Index>(J.column.size()));
  }

 private:
  void ask(const Mat& P, Mat& S) const {
    const py::gil_scoped_acquire gil;
    const Array answer((*callables_.evaluate)(matrix_array(P)));
    const bool shaped = answer.ndim() == 3 && answer.shape(0) == P.cols() && answer.shape(2) == 3 &&
                        (points_ < 0 || answer.shape(1) == points_);
    if (!shaped)
      refuse_shape((name_ + "'s answer").c_str(), answer,
                   "(" + std::to_string(P.cols()) + ", " + (points_ < 0 ? "n" : std::to_string(points_)) + ", 3)");
    S = Eigen::Map<const Mat>(answer.data(), 3 * answer.shape(1), P.cols());
    for (Eigen::Index k = 0; k < S.cols(); ++k) require_finite(S.col(k));
  }

  void require_finite(In s) const {
    if (s.allFinite()) return;
    Eigen::Index bad = 0;
    while (std::isfinite(s[bad])) ++bad;
    throw Error({.code = ErrorCode::external_process,
                 .file = name_,
                 .element = "point " + std::to_string(bad / 3),
                 .problem = "is not finite",
                 .remedy = "check the rig at these control values"});
  }

  std::string name_;
  std::vector<Control> controls_;
  Callables callables_;
  double noise_;
  int points_ = 0;
};

CharacterHandle make_black_box(const py::object& evaluate, std::vector<Control> controls, const py::dict& options) {
  const py::object jacobian = options["jacobian"], noise = options["noise"], triangles = options["triangles"];
  Callables callables{.evaluate = held(evaluate), .batch = options["batch"].cast<bool>()};
  if (!jacobian.is_none()) callables.jacobian = held(jacobian);
  Character character{.name = options["name"].cast<std::string>()};
  character.clips = clips_from(options["clips"]);
  {
    const double sigma = noise.is_none() ? -1 : noise.cast<double>();
    const py::gil_scoped_release release;
    character.rig = std::make_shared<PythonRig>(character.name, std::move(controls), std::move(callables), sigma);
  }
  Piece piece{.name = character.name, .point_count = character.rig->point_count()};
  if (!triangles.is_none()) piece.triangles = rows_from<3>(Integers(triangles), piece.point_count, "triangles");
  character.pieces.push_back(std::move(piece));
  return CharacterHandle(std::move(character));
}

}  // namespace

void bind_black_box(py::module_& m) {
  m.def("black_box", &make_black_box, py::arg("evaluate"), py::arg("controls"), py::arg("options"));
}

}  // namespace rigspace::python
