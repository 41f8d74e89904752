// Responder: finds the route of a request, adds the fields that every response has, and answers errors.
#if Server
import HTTPTypes
import HummingbirdCore
import NIOCore

struct Responder: Sendable {
    private let settings: HTTPBin
    private let connections: ConnectionTable
    private let sessions = SessionStore()
    private let uploads = UploadStore()

    init(settings: HTTPBin, connections: ConnectionTable) {
        self.settings = settings
        self.connections = connections
    }

    /// The response to a request. It throws if the connection broke or the bytes were not HTTP; Hummingbird then closes
    /// the connection.
    func respond(to request: Request, on channel: any Channel) async throws -> Response {
        guard let connection = connections[channel] else { throw Connection.PeerLeft() }
        let exchange = Exchange(
            request: request, connection: connection, settings: settings, sessions: sessions, uploads: uploads)
        guard let report = settings.onExchange else { return try await respond(to: exchange) }
        let watch = ExchangeWatch(exchange, report)
        do {
            let watched = Exchange(
                request: watch.watching(request), connection: connection, settings: settings, sessions: sessions,
                uploads: uploads)
            return watch.watching(try await respond(to: watched))
        } catch {
            watch.failed(error)
            throw error
        }
    }

    private func respond(to exchange: Exchange) async throws -> Response {
        var response: Response
        do {
            response = try await answer(exchange)
        } catch let problem as Problem {
            response = try Reply.text(problem.text + "\n", status: problem.status)
        }
        response.headers[.date] = HTTPDate.now()
        response.headers[.server] = "HTTPBin"
        addCrossOriginFields(to: &response, for: exchange)
        // The encoder leaves out the length for these, so a client would read content as the next response.
        let hasContent = !exchange.isHead && response.status != .noContent && response.status != .notModified
        return hasContent ? response : response.createHeadResponse()
    }

    private func answer(_ exchange: Exchange) async throws -> Response {
        var exchange = exchange
        // `OPTIONS *` asks about the server as a whole (RFC 9110 section 9.3.7).
        if exchange.method == "OPTIONS", exchange.target.segments == ["*"] {
            return try Reply.empty(status: 200, fields: [.allow: "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, TRACE"])
        }
        for route in Routes.all {
            guard let parameters = route.match(exchange.target.segments) else { continue }
            exchange.parameters = parameters
            if exchange.method == "OPTIONS" {
                return try Reply.empty(status: 200, fields: [.allow: route.allowed])
            }
            guard route.takes(exchange.method) else {
                var response = try Reply.page("This path takes \(route.allowed).", status: 405)
                response.headers[.allow] = route.allowed
                return response
            }
            return try await route.endpoint(exchange)
        }
        return try Reply.page("No such path: GET / lists all paths.", status: 404)
    }

    private func addCrossOriginFields(to response: inout Response, for exchange: Exchange) {
        response.headers[.accessControlAllowOrigin] = exchange.request.headers[.origin] ?? "*"
        response.headers[.accessControlAllowCredentials] = "true"
        guard exchange.method == "OPTIONS" else { return }
        response.headers[.accessControlAllowMethods] = "GET, POST, PUT, DELETE, PATCH, OPTIONS"
        response.headers[.accessControlMaxAge] = "3600"
        if let asked = exchange.request.headers[.accessControlRequestHeaders] {
            response.headers[.accessControlAllowHeaders] = asked
        }
    }
}

#endif
