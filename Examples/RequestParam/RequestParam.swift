// RequestParam: a request as a class to subclass.
// It is sent by GET or by POST. The client adds deviceId and dateTime to every call; messageType is the call's own.

import Tsubame

/// A request. A subclass names its path, its parameters and its response.
class RequestParam<Answer: ResponseParam>: EndpointClass<Answer> {
    private let chosen: HTTPRequest.Method

    init(_ method: HTTPRequest.Method) { chosen = method }

    /// The kind of this call. It wins over a messageType of the client.
    var messageType: String { "viewer" }
    /// The subclass's own parameters.
    var parameters: Parameters { [:] }
    private var all: Parameters { parameters + ["messageType": messageType] }
    override var method: HTTPRequest.Method { chosen }
    override var query: Parameters { method == .get ? all : [:] }
    override var body: RequestBody { method == .get ? .empty : .form(all) }

    override var timeouts: Timeouts {
        var timeouts = Timeouts()
        timeouts.connect = .seconds(60)
        // The original's read timeout counts up to the response, and between its bytes.
        (timeouts.head, timeouts.idle) = (.seconds(60), .seconds(60))
        return timeouts
    }

    override func decode(_ response: Response) throws -> Answer { try Answer(response) }
    override func didDecode(_ answer: Answer, from response: Response) { afterResponse(answer) }
    /// Called once when the exchange is over and the typed fields are there.
    func afterResponse(_ answer: Answer) {}
}
