#include "energy.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace::python {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

/// The method of that name, or nothing if it is absent or None.
std::shared_ptr<py::object> method(const py::object& object, const char* name) {
  if (!py::hasattr(object, name)) return nullptr;
  const py::object found = object.attr(name);
  return found.is_none() ? nullptr : held(found);
}

/// x with one coordinate of every element moved; what it was is put back at the end.
class Nudge {
 public:
  Nudge(py::array_t<double>& x, int coordinate, int per_element, const Vec& by)
      : x_(x.mutable_data() + coordinate), stride_(per_element), before_(by.size()), moved_(by.size()) {
    for (Eigen::Index e = 0; e < by.size(); ++e) {
      double& value = x_[e * stride_];
      before_[e] = value;
      value += by[e];
      moved_[e] = value - before_[e];  // as it is rounded
    }
  }
  ~Nudge() {
    for (Eigen::Index e = 0; e < before_.size(); ++e) x_[e * stride_] = before_[e];
  }
  Nudge(const Nudge&) = delete;
  Nudge& operator=(const Nudge&) = delete;
  const Vec& moved() const { return moved_; }

 private:
  double* x_;
  Eigen::Index stride_;
  Vec before_, moved_;
};

}  // namespace

PythonEnergy::PythonEnergy(const py::object& object) : object_(held(object)) {
  value_ = method(object, "value");
  gradient_ = method(object, "gradient");
  hessian_ = method(object, "hessian");
  if (!value_ || !py::hasattr(object, "elements"))
    throw Error({.code = ErrorCode::usage,
                 .element = py::str(py::type::of(object).attr("__name__")).cast<std::string>(),
                 .problem = "is no energy",
                 .remedy = "derive from rigspace.Energy: it needs elements and value(x)"});
  const Integers elements(object.attr("elements"));
  if (elements.ndim() != 2 || elements.size() == 0) refuse_shape("elements", elements, "(k, m), neither of them 0");
  k_ = static_cast<int>(elements.shape(0));
  m_ = static_cast<int>(elements.shape(1));
  elements_.assign(elements.data(), elements.data() + elements.size());
  support_ = elements_;
  std::sort(support_.begin(), support_.end());
  support_.erase(std::unique(support_.begin(), support_.end()), support_.end());
  require_indices({support_.data(), 1}, std::numeric_limits<int>::max(), "elements");
}

py::array_t<double> PythonEnergy::gathered(In x) const {
  py::array_t<double> points({k_, m_, 3});
  double* to = points.mutable_data();
  for (const int i : elements_) {
    std::copy_n(x.data() + 3 * static_cast<std::size_t>(i), 3, to);
    to += 3;
  }
  return points;
}

Vec PythonEnergy::values(const py::array_t<double>& x) const {
  return vector_from(Array((*value_)(x)), k_, "value's answer");
}

Vec PythonEnergy::sizes(const double* x) const {
  const auto points = Eigen::Map<const Eigen::Matrix3Xd>(x, 3, static_cast<Eigen::Index>(m_) * k_);
  Vec size(k_);
  for (int e = 0; e < k_; ++e) {
    const auto element = points.middleCols(static_cast<Eigen::Index>(e) * m_, m_);
    size[e] = (element.rowwise().maxCoeff() - element.rowwise().minCoeff()).maxCoeff();
  }
  // Elements of one point, or fallen together: a hundredth of the whole.
  double whole = (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).maxCoeff();
  if (whole == 0) whole = 100 * std::max(1.0, points.cwiseAbs().maxCoeff());
  return size.cwiseMax(m_ == 1 ? 0.01 * whole : 1e-6 * whole);
}

Mat PythonEnergy::gradients(const py::array_t<double>& x) const {
  const int n = 3 * m_;
  if (gradient_) {
    const Array answer((*gradient_)(x));
    if (answer.size() != static_cast<py::ssize_t>(n) * k_ || answer.shape(0) != k_)
      refuse_shape("gradient's answer", answer, "(" + std::to_string(k_) + ", " + std::to_string(m_) + ", 3)");
    return Eigen::Map<const Mat>(answer.data(), n, k_);
  }
  // Central: the error is least where truncation, h^2, and rounding, eps / h, are equal.
  const Vec h = std::cbrt(kEps) * sizes(x.data());
  py::array_t<double> near(py::array(x).attr("copy")());
  Mat g(n, k_);
  for (int c = 0; c < n; ++c) {
    Vec up, down, width;
    {
      const Nudge nudge(near, c, n, h);
      up = values(near);
      width = nudge.moved();
    }
    const Nudge nudge(near, c, n, -h);
    down = values(near);
    g.row(c) = ((up - down).array() / (width - nudge.moved()).array()).transpose();
  }
  return g;
}

Mat PythonEnergy::hessians_from_gradients(const py::array_t<double>& x) const {
  const int n = 3 * m_;
  const Vec h = std::sqrt(kEps) * sizes(x.data());
  py::array_t<double> near(py::array(x).attr("copy")());
  const Mat g = gradients(x);
  Mat H(n * n, k_);
  for (int c = 0; c < n; ++c) {
    const Nudge nudge(near, c, n, h);
    H.middleRows(n * c, n) = (gradients(near) - g).array().rowwise() / nudge.moved().transpose().array();
  }
  return H;
}

Mat PythonEnergy::hessians_from_values(const py::array_t<double>& x) const {
  // (f(x + a + b) - f(x + a) - f(x + b) + f(x)) / (a b), the error of which is least at h = eps^(1/4).
  const int n = 3 * m_;
  const Vec h = std::pow(kEps, 0.25) * sizes(x.data()), f = values(x);
  py::array_t<double> near(py::array(x).attr("copy")());
  Mat single(k_, n), width(k_, n);
  for (int a = 0; a < n; ++a) {
    const Nudge nudge(near, a, n, h);
    single.col(a) = values(near);
    width.col(a) = nudge.moved();
  }
  Mat H(n * n, k_);
  for (int a = 0; a < n; ++a) {
    const Nudge first(near, a, n, h);
    for (int b = 0; b <= a; ++b) {
      const Nudge second(near, b, n, h);
      const Vec rise = values(near) - single.col(a) - single.col(b) + f;
      H.row(n * a + b) = (rise.array() / (width.col(a).array() * width.col(b).array())).transpose();
      H.row(n * b + a) = H.row(n * a + b);
    }
  }
  return H;
}

Mat PythonEnergy::hessians(const py::array_t<double>& x) const {
  const int n = 3 * m_;
  if (!hessian_ && !gradient_) return hessians_from_values(x);
  Mat H;
  if (hessian_) {
    const Array answer((*hessian_)(x));
    if (answer.ndim() < 3 || answer.shape(0) != k_ || answer.size() != static_cast<py::ssize_t>(n) * n * k_)
      refuse_shape("hessian's answer", answer,
                   "(" + std::to_string(k_) + ", " + std::to_string(n) + ", " + std::to_string(n) + ")");
    H = Eigen::Map<const Mat>(answer.data(), n * n, k_);
  } else {
    H = hessians_from_gradients(x);
  }
  for (int e = 0; e < k_; ++e) {
    Eigen::Map<Mat> block(H.col(e).data(), n, n);
    block = (0.5 * (block + block.transpose())).eval();
  }
  return H;
}

double PythonEnergy::value(const State&, In x) const {
  const py::gil_scoped_acquire gil;
  return values(gathered(x)).sum();
}

void PythonEnergy::add_gradient(const State&, In x, double weight, Vec& g) const {
  Mat forces;
  {
    const py::gil_scoped_acquire gil;
    forces = gradients(gathered(x));
  }
  for (std::size_t a = 0; a < elements_.size(); ++a)
    g.segment<3>(3 * static_cast<Eigen::Index>(elements_[a])) += weight * Eigen::Map<const Vec3>(forces.data() + 3 * a);
}

/// Blocks that were computed at x, where elements had these sizes.
struct PythonEnergy::Memory final : State {
  mutable Mat H;
  mutable Vec x, sizes;
  mutable int iterations = 0;  ///< that the solve at hand has made with them
  bool stale = true;
};

std::unique_ptr<State> PythonEnergy::make_state() const { return std::make_unique<Memory>(); }

/// A Hessian by differences of values costs as much as four iterations, 1 + n + n (n + 1) / 2 calls to 2 n: one that
/// has aged is kept while the solve gets on with it.
Change PythonEnergy::refresh(State& state, In x, Phase phase) const {
  constexpr double kFar = 0.25;  // of an element: how far a point may move meanwhile
  constexpr int kPatience = 4;   // iterations
  Memory& memory = state_as<Memory>(state);
  memory.iterations = phase == Phase::step ? 0 : memory.iterations + 1;
  if (memory.x.size() != x.size()) return Change::none;  // there is nothing yet that could be stale
  memory.stale = memory.iterations > kPatience;
  for (std::size_t a = 0; a < elements_.size() && !memory.stale; ++a) {
    const Eigen::Index i = 3 * static_cast<Eigen::Index>(elements_[a]);
    const double reach = kFar * memory.sizes[static_cast<Eigen::Index>(a) / m_];
    memory.stale = (x.segment<3>(i) - memory.x.segment<3>(i)).squaredNorm() > reach * reach;
  }
  return memory.stale ? Change::values : Change::none;
}

Mat PythonEnergy::projected_hessians(In x) const {
  Mat H;
  {
    const py::gil_scoped_acquire gil;
    H = hessians(gathered(x));
  }
  parallel_ranges(k_, 16, [&](int begin, int end) {
    for (int e = begin; e < end; ++e) project_positive_definite(H.col(e).data(), 3 * m_);
  });
  return H;
}

void PythonEnergy::add_hessian(const State& state, In x, double weight, HessianMode mode, BlockSink& sink) const {
  Mat H;
  if (mode == HessianMode::exact) {
    const py::gil_scoped_acquire gil;
    H = hessians(gathered(x));
  } else {
    const Memory& memory = state_as<Memory>(state);
    if (memory.stale) {
      memory.H = projected_hessians(x);
      memory.x = x;
      Vec points(3 * static_cast<Eigen::Index>(elements_.size()));
      for (std::size_t a = 0; a < elements_.size(); ++a)
        points.segment<3>(3 * static_cast<Eigen::Index>(a)) = x.segment<3>(3 * static_cast<Eigen::Index>(elements_[a]));
      memory.sizes = sizes(points.data());
      memory.iterations = 0;
    }
    H = memory.H;
  }
  H *= weight;
  sink.add_batch(m_, elements_, H.data());
}

std::shared_ptr<const Energy> energy_from(const py::object& object, int points) {
  if (py::isinstance<EnergyHandle>(object)) return object.cast<const EnergyHandle&>().energy;
  auto energy = std::make_shared<PythonEnergy>(object);
  require_indices({energy->support().data() + energy->support().size() - 1, 1}, points, "elements");
  return energy;
}

}  // namespace rigspace::python
