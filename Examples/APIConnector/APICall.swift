// Origin 5: an API call as a type whose values are set at birth.
// What all calls of the API have in common: parameters sorted by name, in the query of a GET, else in the body.

import Tsubame

protocol APICall: Endpoint where Value: Decodable {
    var parameters: Parameters { get }
    var timeoutInterval: Duration { get }
}

extension APICall {
    var parameters: Parameters { [:] }
    var timeoutInterval: Duration { .seconds(60) }

    var query: Parameters { method == .get ? parameters.sorted() : [:] }
    var body: Body { method == .get ? .empty : .form(parameters.sorted()) }
    // Any status is an answer, and its JSON is decoded.
    var acceptedStatuses: StatusSet { .all }

    var timeouts: Timeouts {
        var timeouts = Timeouts()
        timeouts.total = timeoutInterval
        return timeouts
    }
}
