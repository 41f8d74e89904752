// DocumentationSamples: the samples of FirstCall.md.

import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

private struct User: Codable, Sendable {
    let id: Int
    let name: String
}

extension DocumentationSamples {
    @Test func firstCall() async throws {
        let server = try await ScriptedServer.start { request in
            switch (request.method, request.target) {
            case ("GET", "/hello"): .ok("Hello")
            case ("GET", "/v1/users/7"): .json(#"{"id": 7, "name": "swallow"}"#)
            case ("GET", "/v1/users?name=%E7%87%95&page=2"): .json(#"[{"id": 7, "name": "燕"}]"#)
            case ("POST", "/v1/users"): .json(request.text, status: .created)
            case ("POST", "/v1/session"): .status(.unauthorized)
            case ("DELETE", "/v1/users/8"): .status(.noContent)
            default: .status(.notFound)
            }
        }
        let page = try await Client.shared.get(url: server.url + "/hello").text()
        print(page)  // Hello
        #expect(page == "Hello")

        let api = Client(server.url + "/v1") {
            $0.timeouts.total = .seconds(20)
            $0.headers[.userAgent] = "Viewer/2.0"
        }
        let user = try await api.get("users/\(7)").json(User.self)
        let found = try await api.get("users", query: ["name": "燕", "page": 2]).json([User].self)
        let made = try await api.post("users", json: User(id: 8, name: "martin")).json(User.self)
        #expect(user.name == "swallow" && found.map(\.name) == ["燕"] && made.name == "martin")
        #expect(server.requests.last?["user-agent"] == "Viewer/2.0")

        let answer = try await api.post("session", form: ["name": "swallow", "password": "p@ss"])
        if answer.status == .unauthorized { print("not you") }
        try await api.delete("users/\(made.id)").accepted()
        #expect(answer.status == .unauthorized)
        #expect(server.requests.dropLast().last?.text == "name=swallow&password=p%40ss")

        var request = Request(.get, "users/7", headers: [.accept: "application/json"])
        request.timeouts.total = .seconds(5)
        let response = try await api.send(request)
        print(response.status, response.headers[.contentType] ?? "")  // 200 OK application/json
        #expect("\(response.status) \(response.headers[.contentType] ?? "")" == "200 OK application/json")

        let id = "../admin?x"
        #expect(try await api.get("users/\(id)").status == .notFound)
        #expect(server.requests.last?.target == "/v1/users/..%2Fadmin%3Fx")
        let parent = ".."
        await #expect { _ = try await api.get("users/\(parent)") } throws: {
            ($0 as? CallError)?.kind == .invalidRequest
        }

        await api.close(drainingFor: .seconds(5))
        try await LeakCheck.verifyClosed(api)
        await server.stop()
    }
}
