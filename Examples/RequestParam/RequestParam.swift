// Origin 1: a request and its response as a pair of classes to subclass.
// What is sent, by GET or by POST; the client adds deviceId, messageType and dateTime to every call.

import Tsubame

/// What is sent. A subclass names its path, its parameters and its answer.
class RequestParam<Answer: ResponseParam>: EndpointClass<Answer> {
    private let chosen: HTTPRequest.Method

    init(_ method: HTTPRequest.Method) { chosen = method }

    /// A subclass's own parameters.
    var parameters: Parameters { [:] }

    override var method: HTTPRequest.Method { chosen }
    override var query: Parameters { method == .get ? parameters : [:] }
    override var body: Body { method == .get ? .empty : .form(parameters) }

    override var timeouts: Timeouts {
        var timeouts = Timeouts()
        timeouts.connect = .seconds(60)
        // What was one read timeout there: for the answer to begin, and between its bytes.
        timeouts.head = .seconds(60)
        timeouts.idle = .seconds(60)
        return timeouts
    }

    override func decode(_ response: Response) throws -> Answer { try Answer(response) }
}
