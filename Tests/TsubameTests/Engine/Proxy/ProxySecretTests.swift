// ProxySecretTests: BAD-INPUT 20: no text shows the credentials that a proxy receives.

import HTTPTypes
import Testing
import TsubameTesting

@testable import Tsubame

@Suite(.timeLimit(.minutes(1))) struct ProxySecretTests {
    private static let credentials = "user:s3cret"

    /// Every text form of a value.
    private static func texts<T>(_ value: T) -> String {
        var text = "\(value)\n" + String(reflecting: value) + "\n" + String(describing: Optional(value)) + "\n"
        dump(value, to: &text)
        text += "\(Mirror(reflecting: value).children.map { "\($0.value)" })"
        return text
    }

    private static func expectNoSecret<T>(in value: T, sourceLocation: SourceLocation = #_sourceLocation) {
        let text = texts(value)
        for secret in ["s3cret", "dXNlcjpzM2NyZXQ", "czNjcmV0"] {
            #expect(!text.contains(secret), "\(text)", sourceLocation: sourceLocation)
        }
    }

    /// The proxy's behaviour that makes a call fail or succeed.
    enum Outcome: String, Sendable, CaseIterable {
        case success, refusal, wrongCredentials, nonsense, silence, hangUp

        var script: ScriptedProxy.Script {
            { moment, _ in
                switch (self, moment) {
                case (.refusal, .request(let request)):
                    request.form == .forward ? nil : [.bytes(request.form.unreachable), .close]
                case (.wrongCredentials, .request(let request)): [.bytes(request.form.unauthorized)]
                case (.wrongCredentials, .credentials): [.bytes([1, 1]), .close]
                // The proxy echoes the credentials.
                case (.nonsense, .request): [.text("\(basic(credentials)) user:s3cret\r\n\r\n"), .close]
                case (.silence, .request): [.stall]
                case (.hangUp, .request): [.close]
                default: nil
                }
            }
        }
    }

    @Test(arguments: ProxyRoute.all, Outcome.allCases)
    func `however a call ends, its credentials for the proxy are in no text of it`(
        _ route: ProxyRoute, _ outcome: Outcome
    ) async throws {
        try await route.run(
            credentials: Self.credentials, script: outcome.script,
            configure: { $0.timeouts.connect = .milliseconds(outcome == .silence ? 100 : 20_000) }
        ) { server, proxy, client in
            let events = Log<CallEvent>()
            let observation = client.observe(bodies: 1 << 10) { events.add($0) }
            var request = Request(.get, "x")
            // The wait for a forwarding proxy counts as the wait for an origin.
            request.timeouts.head = .milliseconds(outcome == .silence ? 100 : 20_000)
            do throws(CallError) {
                let response = try await client.send(request)
                Self.expectNoSecret(in: response)
                Self.expectNoSecret(in: response.request)
                Self.expectNoSecret(in: response.connection)
                #expect(outcome == .success || !route.isTunnel)
            } catch {
                #expect(outcome != .success, "\(error)")
                Self.expectNoSecret(in: error)
                Self.expectNoSecret(in: error.request)
                if let underlying = error.underlying { Self.expectNoSecret(in: underlying) }
            }
            #expect(events.ends.count == 1)
            for event in events.all { Self.expectNoSecret(in: event) }
            for request in server.requests {
                #expect(!request.headText.contains("s3cret") && !request.headText.contains("dXNlcjpzM2NyZXQ"))
            }
            withExtendedLifetime(observation) {}
        }
    }

    @Test(arguments: ProxyKind.allCases) func `nor in what they were set on`(_ kind: ProxyKind) throws {
        let text = "\(kind.rawValue)://user:s3cret@127.0.0.1:3128"
        let proxy = try Proxy(text)
        Self.expectNoSecret(in: proxy)
        let environment = ["http_proxy": text, "all_proxy": text, "no_proxy": "a.example"]
        for policy in [
            ProxyPolicy.url(text), .url(text, except: ["a.example"]), .choose { _ in proxy }, .environment(environment),
        ] {
            Self.expectNoSecret(in: policy)
            let client = Client("https://a.example") { $0.connection.proxy = policy }
            Self.expectNoSecret(in: client)
            Self.expectNoSecret(in: client.configuration)
            Self.expectNoSecret(in: client.configuration.connection.proxy)
            Self.expectNoSecret(in: client.configuration.connection)
            Self.expectNoSecret(in: client.chain)
            Self.expectNoSecret(in: client.with { $0.connection.proxy = .url(text) })
        }
        #expect("\(proxy)".contains("127.0.0.1:3128"))
    }
}
