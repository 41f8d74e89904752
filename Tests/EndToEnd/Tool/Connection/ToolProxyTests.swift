// ToolProxyTests: proxies from the environment of a process, which no other test can set without disturbing its
// neighbours.
#if Server
import Foundation
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(1)))
struct ToolProxyTests {
    /// Runs the tool with an environment in which PROXY stands for a server that answers as a proxy would. The host
    /// a.example also leads to that server. Returns the received request.
    private func request(
        _ environment: [String: String], _ url: String = "http://a.example/x", options: [String] = []
    ) async throws -> ReceivedRequest {
        try await ScriptedServer.start { _ in .ok("hi") }.use { server in
            let names = ["http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]
            let present = names.filter { ProcessInfo.processInfo.environment[$0] != nil }
            let unset = Dictionary(uniqueKeysWithValues: present.map { ($0, "") })
            let override = "a.example:80:127.0.0.1:\(server.port)"
            let run = try await runProduct(
                "tsubame", ["--resolve", override] + options + [url.replacing("URL", with: server.url)],
                environment: unset.merging(environment.mapValues { $0.replacing("PROXY", with: server.url) }) { $1 })
            try #require(run.status == 0, "\(run)")
            #expect(run.stdout.hasSuffix("hi") || run.stdout.hasSuffix("hi\n"), "\(run)")
            return try await server.request(0)
        }
    }

    @Test func theEnvironmentNamesTheProxyUnlessAClientIsToldOtherwise() async throws {
        for name in ["http_proxy", "all_proxy"] {
            let request = try await request([name: "PROXY"])
            #expect(request.target == "http://a.example/x")
            #expect(request["host"] == "a.example")
        }
    }

    @Test("BAD-INPUT 36: HTTP_PROXY is ignored under CGI") func underCGI() async throws {
        #expect(try await request(["HTTP_PROXY": "PROXY"]).target == "http://a.example/x")
        #expect(try await request(["HTTP_PROXY": "PROXY", "REQUEST_METHOD": "GET"]).target == "/x")
    }

    @Test("BAD-INPUT 36: no_proxy is honoured") func exceptions() async throws {
        #expect(try await request(["http_proxy": "PROXY", "no_proxy": "example"]).target == "/x")
        #expect(try await request(["http_proxy": "PROXY", "no_proxy": "b.example"]).target == "http://a.example/x")
    }

    @Test(arguments: ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])
    func aProxyThatIsNoneIsToldByTheVariable(name: String) async throws {
        let names = ["http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "ALL_PROXY", "REQUEST_METHOD"]
        var environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "") })
        environment[name] = "gopher://proxy.example"
        environment["REQUEST_METHOD"] = nil
        let run = try await runProduct("tsubame", ["http://a.example/"], environment: environment)
        #expect(run.status == 1 && run.stderr.contains("the environment's \(name) cannot be used: "), "\(run)")
    }

    @Test func thisMachineIsNotAskedForAtTheProxy() async throws {
        #expect(try await request(["http_proxy": "PROXY"], "URL/x").target == "/x")
    }

    @Test func `hosts can be reached without the proxy`() async throws {
        for option in ["--noproxy=a.example", "--no-proxy=b.example,a.example", "--noproxy=*", "--noproxy=.example"] {
            let request = try await request(["http_proxy": "PROXY"], options: [option])
            #expect(request.target == "/x", "\(option)")
        }
        let other = try await request(["http_proxy": "PROXY"], options: ["--noproxy", "b.example"])
        #expect(other.target == "http://a.example/x")
        // Without hosts, it takes the option --proxy back, as HTTPie's.
        let back = try await request(["http_proxy": ""], options: ["--proxy=http://127.0.0.1:1", "--no-proxy"])
        #expect(back.target == "/x")
    }

    @Test func `with Digest, the proxy never gets the password`() async throws {
        let fields = try await request(["http_proxy": "PROXY"], options: ["--proxy-auth-type=digest"])
        #expect(fields["proxy-authorization"] == nil)
        try await ScriptedServer.start { request in
            request["proxy-authorization"] == nil
                ? .status(
                    .proxyAuthenticationRequired, "",
                    headers: [
                        .proxyAuthenticate: "Digest realm=\"a\", nonce=\"b\", qop=\"auth\", algorithm=SHA-256"
                    ]) : .ok("in")
        }.use { server in
            let proxy = server.url.replacing("://", with: "://user:s3cret@")
            let run = try await tool("--proxy", proxy, "--proxy-auth-type=digest", "http://a.example/x")
            #expect(run.status == 0 && run.stdout == "in", "\(run)")
            let sent = server.requests.map { $0["proxy-authorization"]?.prefix(6) }
            #expect(sent == [nil, "Digest"])
        }
    }
}
#endif
