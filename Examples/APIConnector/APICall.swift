// APICall: an API call as a type whose values are set at initialisation.
// All calls of the API share this: parameters are sorted by name, in the query of a GET, otherwise in the body.

import Tsubame

protocol APICall: Endpoint where Value: Decodable {
    var parameters: Parameters { get }
    var timeoutInterval: Duration { get }
}

extension APICall {
    var parameters: Parameters { [:] }
    var timeoutInterval: Duration { .seconds(60) }

    var query: Parameters { method == .get ? parameters.sorted() : [:] }
    var body: RequestBody { method == .get ? .empty : .form(parameters.sorted()) }
    // Any status is an answer, and its JSON is decoded.
    var acceptedStatuses: StatusSet { .all }

    var timeouts: Timeouts {
        var timeouts = Timeouts()
        timeouts.total = timeoutInterval
        return timeouts
    }
}
