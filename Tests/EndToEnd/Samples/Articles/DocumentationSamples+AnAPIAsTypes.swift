// DocumentationSamples: the samples of AnAPIAsTypes.md.

import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting
import TsubameWire

private struct User: Codable, Sendable {
    let id: Int
    let name: String
}

private struct Session: Decodable, Sendable {
    let token: String
}

private struct Problem: Decodable, Sendable {
    let reason: String
}

private struct GetUser: Endpoint {
    let id: Int
    var path: RequestPath { "users/\(id)" }
    typealias Value = User
}

private struct SignIn: Endpoint {
    let name, password: String
    var method: HTTPRequest.Method { .post }
    var path: RequestPath { "session" }
    var body: RequestBody { .form(["name": name, "password": password]) }
    typealias Value = Session
    typealias Failure = Problem
}

private struct Greeting: Endpoint {
    var path: RequestPath { "hello" }
    func decode(_ response: Response) throws -> String { try response.text() }
}

private struct DeleteUser: Endpoint {
    let id: Int
    var method: HTTPRequest.Method { .delete }
    var path: RequestPath { "users/\(id)" }
    typealias Value = Void
}

private struct FindUser: Endpoint {
    let name: String
    var path: RequestPath { "users" }
    var query: Parameters { ["name": name] }
    var acceptedStatuses: StatusSet { .successful.union(404...404) }
    func decode(_ response: Response) throws -> User? {
        response.status == .notFound ? nil : try response.json(User.self)
    }
}

private class ViewerCall<Value>: EndpointClass<Value> {
    override var headers: RequestHeaders { [.accept: "application/json"] }
}

private final class GetAlbum: ViewerCall<[String]> {
    let year: Int
    init(year: Int) { self.year = year }
    override var path: RequestPath { "albums/\(year)" }
}

extension DocumentationSamples {
    @Test func anAPIAsTypes() async throws {
        let server = try await ScriptedServer.start { request in
            switch (request.method, request.target) {
            case ("GET", "/users/7"): .json(#"{"id": 7, "name": "swallow"}"#)
            case ("POST", "/session"): .json(#"{"reason": "wrong password"}"#, status: .unauthorized)
            case ("GET", "/hello"): .ok("Hello")
            case ("DELETE", "/users/7"): .status(.noContent)
            case ("GET", "/albums/2026"): .json(#"["a", "b"]"#)
            default: .status(.notFound)
            }
        }
        let api = Client(server.url)
        let user = try await api.send(GetUser(id: 7))
        print(user.name)  // swallow
        #expect(user.name == "swallow")

        var said: [String] = []
        do {
            let session = try await api.send(SignIn(name: "swallow", password: "wrong"))
            print(session.token)
        } catch {
            let problem = error.failure as? Problem
            print(error.kind, problem?.reason ?? "")  // status wrong password
            said.append("\(error.kind) \(problem?.reason ?? "")")
        }
        #expect(said == ["status wrong password"])

        let greeting = try await api.send(Greeting())
        let nobody = try await api.send(FindUser(name: "albatross"))
        try await api.send(DeleteUser(id: 7))
        #expect(greeting == "Hello" && nobody == nil && server.requests.last?.method == "DELETE")

        let endpoint = GetUser(id: 7)
        let response = try await api.send(endpoint.request)
        let same = try endpoint.value(of: response)
        #expect(same.id == 7)

        let photos = try await api.send(GetAlbum(year: 2026))
        #expect(photos == ["a", "b"])
        #expect(server.requests.last?["accept"] == "application/json")

        // The failure: a value that cannot be decoded.
        final class Mute: EndpointClass<StaticString> {}
        await #expect { _ = try await api.with { $0.interceptors += [Answer()] }.send(Mute()) } throws: {
            ($0 as? CallError)?.kind == .misuse
        }
        try await close(api)
        await server.stop()
    }

    private struct Answer: Interceptor {
        func intercept(_ request: Request, next: Next) async throws -> Response { Response(status: .ok) }
    }
}
