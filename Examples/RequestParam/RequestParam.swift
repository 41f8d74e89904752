// RequestParam: a request as a class to subclass.
// It is sent by GET or by POST. The client adds deviceId, messageType and dateTime to every call.

import Tsubame

/// A request. A subclass names its path, its parameters and its response.
class RequestParam<Answer: ResponseParam>: EndpointClass<Answer> {
    private let chosen: HTTPRequest.Method

    init(_ method: HTTPRequest.Method) { chosen = method }

    /// The subclass's own parameters.
    var parameters: Parameters { [:] }

    override var method: HTTPRequest.Method { chosen }
    override var query: Parameters { method == .get ? parameters : [:] }
    override var body: RequestBody { method == .get ? .empty : .form(parameters) }

    override var timeouts: Timeouts {
        var timeouts = Timeouts()
        timeouts.connect = .seconds(60)
        // The original's single read timeout covers two limits here: for the start of the response, and between its
        // bytes.
        timeouts.head = .seconds(60)
        timeouts.idle = .seconds(60)
        return timeouts
    }

    override func decode(_ response: Response) throws -> Answer { try Answer(response) }
}
