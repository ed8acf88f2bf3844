// SPDX-License-Identifier: Apache-2.0
#include "suite/protocol/worker_client.hpp"

#include "suite/protocol/message_json.hpp"

namespace breakeven {

template <typename Request>
Reply<typename Request::Answer> WorkerClient::ask(const Request& request, Seconds limit) {
  return reply_from<typename Request::Answer>(exchange(request_of(request), limit));
}

// Every request there is.
template Reply<Opened> WorkerClient::ask(const Open&, Seconds);
template Reply<FreeMemory> WorkerClient::ask(const AskFreeMemory&, Seconds);
template Reply<Prepared> WorkerClient::ask(const Prepare&, Seconds);
template Reply<Visited> WorkerClient::ask(const TakeVisit&, Seconds);
template Reply<Metered> WorkerClient::ask(const Meter&, Seconds);
template Reply<Finished> WorkerClient::ask(const Finish&, Seconds);
template Reply<Done> WorkerClient::ask(const Drop&, Seconds);
template Reply<Done> WorkerClient::ask(const Rest&, Seconds);
template Reply<Readings> WorkerClient::ask(const AskReadings&, Seconds);
template Reply<MeasuredCeilings> WorkerClient::ask(const MeasureCeilings&, Seconds);

nlohmann::json InProcessWorker::exchange(const nlohmann::json& request, Seconds) {
  return worker_.answer(request);
}

}  // namespace breakeven
