// Checkpoints of a Stepper: the state that the rest of a run depends on.

#include "stepper.h"

namespace rigspace {

void Stepper::write(ByteWriter& out) const {
  out.values(now_.integrator.saved_state());
  for (const Vec* each : {&now_.p_now, &now_.p_before, &now_.d_now, &now_.d_before, &now_.d_older}) out.values(*each);
  for (const double each : {now_.time, now_.h, now_.h_before, first_time_, grid_}) out.number(each);
  out.number(patience_);
  out.number(under_way_ ? 1 : 0);
  if (contact_) out.values(contact_->saved_state());
  if (lineariser_)
    for (const Vec& each : lineariser_->saved_state()) out.values(each);
}

void Stepper::read(ByteReader& in) {
  keys_.clear();
  now_.integrator = Integrator(options_.integrator);
  now_.integrator.restore(in.values());
  for (Vec* each : {&now_.p_now, &now_.p_before, &now_.d_now, &now_.d_before, &now_.d_older}) *each = in.values();
  for (double* each : {&now_.time, &now_.h, &now_.h_before, &first_time_, &grid_}) *each = in.number();
  patience_ = in.integer();
  under_way_ = in.number() != 0;
  if (contact_) contact_->restore(in.values());
  if (!lineariser_) return;
  std::vector<Vec> memory(lineariser_->saved_state().size());
  for (Vec& each : memory) each = in.values();
  lineariser_->restore(memory);
}

}  // namespace rigspace
