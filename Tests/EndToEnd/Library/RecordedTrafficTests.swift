// RecordedTrafficTests: what a recorder writes of real exchanges, over real sockets, holds no secret and can be replayed.
#if Server
import Foundation
import HTTPBin
import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct RecordedTrafficTests {
    /// Makes secrets, each with a name.
    private final class Planted: Sendable {
        let values = Mutex<[String: String]>([:])

        func callAsFunction(_ name: String, _ ending: String = "") -> String {
            values.withLock { values in
                let value = values[name] ?? "Pl4nted-\(name)-\(UUID().uuidString.prefix(8))\(ending)"
                values[name] = value
                return value
            }
        }
    }

    /// Sends secrets in all places that a request and a response have.
    private func exercise(_ url: String, over recorder: Recorder, _ secret: Planted) async throws {
        let jar = CookieJar()
        let api = Client(url, transport: recorder) {
            $0.cookies = .jar(jar)
            $0.headers[.authorization] = "Bearer \(secret("bearer"))"
        }
        let everything = Request(
            .post, url: "\(url)/anything?access_token=\(secret("query"))", headers: ["X-Api-Key": secret("field")],
            body: .json(["password": secret("json", "\"\\/é"), "note": "shown"]))
        let echo = try await api.send(everything)
        #expect(echo.status == .ok)
        _ = try await api.post("anything", body: .form(["user": "ann", "password": secret("form", " &+")]))
        let form = RequestBody.multipart {
            $0.field("client_secret", secret("part"))
            $0.field("note", "shown")
        }
        _ = try await api.post("anything", body: form)
        // A form that says nothing of its type, or something else.
        for type in [nil, "text/plain"] as [String?] {
            let text = Array(
                "grant_type=password&access_token=\(secret(type == nil ? "untyped" : "text"))&x=shown".utf8)
            _ = try await api.post("anything", body: .bytes(text, contentType: type))
        }
        let compressed = RequestBody.json(["token": secret("compressed")]).compressed(by: .gzip)
        _ = try await api.post("anything", body: compressed)
        #expect(try await api.get("gzip").json([String: JSON].self)["gzipped"] != nil)
        // The name of this cookie is no secret, and the server repeats its value.
        _ = try await api.get("cookies/set", query: ["sid": secret("cookie")])
        let cookies = try await api.get("cookies")
        #expect(cookies.status == .ok)
        _ = try await api.get("redirect-to", query: ["url": "\(url)/anything?token=\(secret("location"))"])
        _ = try await api.get("response-headers", query: ["X-Auth-Token": secret("answer")])
        let basic = Client(url, transport: recorder) {
            $0.authentication = .basic(user: "ann", password: secret("basic"))
        }
        let signedIn = try await basic.get("basic-auth/ann/\(secret("basic"))")
        #expect(signedIn.status == .ok)
        _ = try await Client(transport: recorder).get(
            url: url.replacing("http://", with: "http://ann:\(secret("userinfo"))@") + "/anything")
        await api.close()
    }

    private enum JSON: Decodable {
        case any

        init(from decoder: any Decoder) throws { self = .any }
    }

    @Test func `no planted secret is in the file, and other secrets fit the recording`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "secrets.har").path
            let planted = Planted()
            let url = try await withHTTPBin { url, _ in
                try await exercise(url, over: Recorder(file: path, mode: .record), planted)
                return url
            }
            let bytes = try Data(contentsOf: URL(filePath: path))
            let archive = try #require(
                try JSONSerialization.jsonObject(with: bytes) as? [String: [String: Any]])
            let entries = try #require(archive["log"]?["entries"] as? [[String: Any]])
            #expect(entries.count == 15)
            // Also without the JSON around it, where slashes and quotes are escaped.
            let texts = Self.texts(of: entries)
            let secrets = planted.values.withLock { $0 }
            #expect(secrets.count == 14)
            for (name, secret) in secrets {
                let forms = [
                    secret, Data("ann:\(secret)".utf8).base64EncodedString(),
                    Data(secret.utf8).base64EncodedString(), String(secret.prefix(20)),
                ]
                for form in forms {
                    #expect(bytes.firstRange(of: Data(form.utf8)) == nil, "\(name) as \(form)")
                    #expect(!texts.contains { $0.contains(form) }, "\(name) as \(form)")
                }
            }
            #expect(texts.contains { $0.contains("shown") } && texts.contains { $0.contains("[redacted]") })
            // The server is gone, and all secrets are others.
            let recorder = Recorder(file: path, mode: .replay)
            try await exercise(url, over: recorder, Planted())
            try await recorder.assertAllUsed()
        }
    }

    /// All texts in a JSON value; those in base64 decoded, too.
    private static func texts(of value: Any) -> [String] {
        switch value {
        case let text as String:
            [text] + (Data(base64Encoded: text).map { [String(decoding: $0, as: UTF8.self)] } ?? [])
        case let list as [Any]: list.flatMap { texts(of: $0) }
        case let members as [String: Any]: members.values.flatMap { texts(of: $0) }
        default: []
        }
    }

    @Test func `secrets are in the file only if the caller asks for that`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "open.har").path
            try await withHTTPBin { url, _ in
                let api = Client(url, transport: Recorder(file: path, showingSecrets: true)) {
                    $0.headers[.authorization] = "Bearer planted"
                }
                _ = try await api.get("headers")
                await api.close()
            }
            #expect(try String(contentsOf: URL(filePath: path), encoding: .utf8).contains("Bearer planted"))
        }
    }

    @Test func `the client's connection settings hold for what is recorded`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "settings.har").path
            try await withHTTPBin { url, _ in
                let port = url.split(separator: ":").last ?? ""
                let api = Client("http://other.test:\(port)", transport: Recorder(file: path)) {
                    $0.connection.resolve = ["other.test": "127.0.0.1"]
                }
                let response = try await api.get("get")
                #expect(response.status == .ok && response.connection != nil)
                await api.close()
            }
        }
    }

    @Test func `an entry has the phases of its exchange`() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "times.har").path
            try await withHTTPBin { url, _ in
                let api = Client(url, transport: Recorder(file: path))
                for _ in 1...2 { _ = try await api.get("delay/0.05") }
                await api.close()
            }
            let data = try Data(contentsOf: URL(filePath: path))
            let archive = try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]]
            let entries = try #require(archive?["log"]?["entries"] as? [[String: Any]])
            let timings = entries.compactMap { $0["timings"] as? [String: Double] }
            try #require(timings.count == 2)
            // The first exchange makes the connection that the second one finds open.
            #expect(timings[0]["connect"] ?? -1 >= 0 && timings[1]["connect"] == -1)
            #expect(timings.allSatisfy { $0["wait"] ?? 0 >= 50 })
            for (entry, times) in zip(entries, timings) {
                let sum = ["blocked", "dns", "connect", "send", "wait", "receive"].compactMap { times[$0] }
                    .filter { $0 > 0 }.reduce(0, +)
                #expect(abs((entry["time"] as? Double ?? 0) - sum) < 0.01)
            }
            #expect(entries.allSatisfy { $0["serverIPAddress"] as? String == "127.0.0.1" })
            #expect(Set(entries.compactMap { $0["connection"] as? String }).count == 1)
        }
    }
}
#endif
