// ConnectorDemo: a call as a type with sorted, encoded parameters, checked down to the 81 bytes of its proof.
#if Server && XML
import HTTPBin
import Tsubame

/// The embedded server's answer to a request.
private struct Echo: Decodable, Sendable {
    var args: [String: String] = [:]
    var form: [String: String]?
}

/// A call as a type whose values are set at creation. Parameters go into the query of a GET, and into the body of any
/// other method.
private struct ParameterCall: Endpoint, Sendable {
    struct Value: Sendable {
        let status: Int
        /// nil if the answer is not the echo of a request.
        let echo: Echo?
        let timings: Timings
    }

    let method: HTTPRequest.Method
    let path: RequestPath
    var parameters: Parameters = [:]

    private var isInQuery: Bool { method == .get }

    var query: Parameters { isInQuery ? parameters.sorted() : [:] }
    var body: RequestBody { isInQuery ? .empty : .form(parameters.sorted()) }

    /// Any status is an answer.
    var acceptedStatuses: StatusSet { .all }

    var timeouts: Timeouts {
        var timeouts = Timeouts()
        timeouts.total = .seconds(60)
        return timeouts
    }

    func decode(_ response: Response) throws -> Value {
        Value(status: response.statusCode, echo: try? response.json(Echo.self), timings: response.timings)
    }
}

/// A connector to subclass, as a view controller would keep one. A subclass overrides what happens at the end.
@MainActor
private class Connector {
    private let client: Client
    private var call: Call?

    init(_ client: Client) { self.client = client }

    func startConnection(_ target: ParameterCall) {
        call = client.start(target) { [weak self] result in
            switch result {
            case .success(let value): self?.connectionSuccess(value)
            case .failure(let error) where error.kind == .cancelled: self?.connectionCancelled()
            case .failure(let error): self?.connectionFailed(error)
            }
        }
    }

    /// Ends the running call.
    func connectionCancel() { call?.cancel() }

    /// Called with the decoded response of any status.
    func connectionSuccess(_ value: ParameterCall.Value) {}

    /// Called if the transfer failed.
    func connectionFailed(_ error: CallError) {}

    /// Called if the call was cancelled.
    func connectionCancelled() {}
}

/// Keeps which of its methods was called, so that the demo can wait for it.
private final class ReportingConnector: Connector {
    typealias End = (method: String, value: ParameterCall.Value?)

    private let ends: AsyncStream<End>
    private let sink: AsyncStream<End>.Continuation

    override init(_ client: Client) {
        (ends, sink) = AsyncStream.makeStream()
        super.init(client)
    }

    override func connectionSuccess(_ value: ParameterCall.Value) { sink.yield(("connectionSuccess", value)) }
    override func connectionFailed(_ error: CallError) { sink.yield(("connectionFailed", nil)) }
    override func connectionCancelled() { sink.yield(("connectionCancelled", nil)) }

    func end() async -> End {
        for await end in ends { return end }
        return ("nothing", nil)
    }
}

struct ConnectorDemo {
    private static let original = "!*'();:@&=+$,/?%#[]-._~ "
    private static let encoded =
        "parameterTestKey=%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%25%23%5B%5D-._~%20"

    private let server: DemoServer
    private let ledger: DemoLedger
    private let client: Client

    init(_ server: DemoServer, _ ledger: DemoLedger) {
        self.server = server
        self.ledger = ledger
        client = server.watched(Client(server.url))
    }

    func run() async throws {
        ledger.title("5. A connector to subclass: sorted parameters, the 81 bytes of its proof, and its three ends")
        let connector = await ReportingConnector(client)
        let parameters: Parameters = ["parameterTestKey": Self.original]

        await connector.startConnection(ParameterCall(method: .get, path: "get", parameters: parameters))
        let query = try await server.request("/get")
        ledger.show(query)
        ledger.compare("target", query.target, with: "/get?" + Self.encoded)
        ledger.compare("length of the query", query.target.utf8.count - "/get?".utf8.count, with: 81)
        let read = await connector.end()
        ledger.compare("the end of the GET", read.method, with: "connectionSuccess")
        ledger.compare("args give the original back", read.value?.echo?.args["parameterTestKey"], with: Self.original)
        if let timings = read.value?.timings { ledger.show(timings) }

        await connector.startConnection(
            ParameterCall(method: .post, path: "post?already=there", parameters: parameters))
        let form = try await server.request("/post")
        ledger.show(form)
        ledger.compare("target", form.target, with: "/post?already=there")
        ledger.compare("body", form.body, with: Self.encoded)
        ledger.compare("length of the body", form.bodyByteCount, with: 81)
        ledger.compare("Content-Type", form["Content-Type"], with: "application/x-www-form-urlencoded")
        let written = await connector.end()
        ledger.compare("the end of the POST", written.method, with: "connectionSuccess")
        ledger.compare(
            "form gives the original back", written.value?.echo?.form?["parameterTestKey"], with: Self.original)
        if let timings = written.value?.timings { ledger.show(timings) }

        await connector.startConnection(
            ParameterCall(method: .get, path: "get?already=there", parameters: ["b": "2", "c": "é", "a": "1"]))
        let ordered = try await server.request("/get")
        ledger.show(ordered)
        ledger.compare("sorted, after the existing query", ordered.target, with: "/get?already=there&a=1&b=2&c=%C3%A9")
        if let timings = await connector.end().value?.timings { ledger.show(timings) }

        await connector.startConnection(ParameterCall(method: .get, path: "status/500"))
        ledger.show(try await server.request("/status"))
        let refused = await connector.end()
        ledger.compare("the end of a 500", refused.method, with: "connectionSuccess")
        ledger.compare("with its status", refused.value?.status ?? 0, with: 500)
        await connector.startConnection(
            ParameterCall(method: .get, path: "truncate/10", parameters: ["announce": "20"]))
        ledger.show(try await server.request("/truncate"))
        ledger.compare("the end of a transfer that is cut off", await connector.end().method, with: "connectionFailed")
        await connector.startConnection(ParameterCall(method: .get, path: "delay/5"))
        ledger.show(try await server.request("/delay"))
        await connector.connectionCancel()
        ledger.compare("the end of a cancelled call", await connector.end().method, with: "connectionCancelled")
        await client.close()
    }
}

#endif
