// ConnectorDemo: a call as a type with sorted, encoded parameters, checked down to the 81 bytes of its proof.
#if Server
import HTTPBin
import Tsubame

/// The embedded server's answer to a request.
private struct Echo: Decodable, Sendable {
    var args: [String: String] = [:]
    var form: [String: String]?
}

/// The old connector: its values are set at creation. Parameters go into the query of a GET, and into the body of any
/// other method.
private class Connector: EndpointClass<(echo: Echo, timings: Timings)> {
    private let verb: HTTPRequest.Method
    private let parameters: Parameters
    private let target: RequestPath

    init(_ verb: HTTPRequest.Method, _ target: RequestPath, _ parameters: Parameters) {
        self.verb = verb
        self.target = target
        self.parameters = parameters
    }

    private var isInQuery: Bool { verb == .get }

    override var method: HTTPRequest.Method { verb }
    override var path: RequestPath { target }
    override var query: Parameters { isInQuery ? parameters.sorted() : [:] }
    override var body: RequestBody { isInQuery ? .empty : .form(parameters.sorted()) }

    override var timeouts: Timeouts {
        var timeouts = Timeouts()
        timeouts.total = .seconds(60)
        return timeouts
    }

    override func decode(_ response: Response) throws -> (echo: Echo, timings: Timings) {
        (try response.json(Echo.self), response.timings)
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
        client = Client(server.url)
    }

    func run() async throws {
        ledger.title("5. Sorted parameters, and the 81 bytes of its proof")
        let parameters: Parameters = ["parameterTestKey": Self.original]

        let read = try await client.send(Connector(.get, "get", parameters))
        let query = try await server.request("/get")
        ledger.show(query)
        ledger.compare("target", query.target, with: "/get?" + Self.encoded)
        ledger.compare("length of the query", query.target.utf8.count - "/get?".utf8.count, with: 81)
        ledger.compare("args give the original back", read.echo.args["parameterTestKey"], with: Self.original)
        ledger.show(read.timings)

        let written = try await client.send(Connector(.post, "post?already=there", parameters))
        let form = try await server.request("/post")
        ledger.show(form)
        ledger.compare("target", form.target, with: "/post?already=there")
        ledger.compare("body", form.body, with: Self.encoded)
        ledger.compare("length of the body", form.bodyByteCount, with: 81)
        ledger.compare("Content-Type", form["Content-Type"], with: "application/x-www-form-urlencoded")
        ledger.compare("form gives the original back", written.echo.form?["parameterTestKey"], with: Self.original)
        ledger.show(written.timings)

        let sorted = try await client.send(Connector(.get, "get?already=there", ["b": "2", "c": "é", "a": "1"]))
        let ordered = try await server.request("/get")
        ledger.show(ordered)
        ledger.compare("sorted, after the existing query", ordered.target, with: "/get?already=there&a=1&b=2&c=%C3%A9")
        ledger.show(sorted.timings)
        await client.close()
    }
}

#endif
