// SPDX-License-Identifier: Apache-2.0
#include "plugins/opencl/relay.hpp"

namespace breakeven::opencl {

namespace {

void CL_CALLBACK pass_on(cl_event, cl_int status, void* relay) {
  Moment ours(static_cast<cl_event>(relay));
  call<clSetUserEventStatus>(ours.get(), status < 0 ? status : CL_COMPLETE);
}

}  // namespace

Moment relayed(const Moment& event, cl_context from, cl_context to) {
  Moment relay(from == to ? event.get() : make<clCreateUserEvent>(to));
  run<clRetainEvent>(relay.get());
  if (from != to) run<clSetEventCallback>(event.get(), CL_COMPLETE, &pass_on, relay.get());
  return relay;
}

}  // namespace breakeven::opencl
