// ToolTransportTests: addresses, proxies, sockets and TLS of the tool.
#if Server
import Foundation
import HTTPTypes
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolTransportTests {
    private func filled(_ arguments: [String], _ server: ScriptedServer) -> [String] {
        arguments.map { $0.replacing("URL", with: server.url).replacing("PORT", with: "\(server.port)") }
    }

    private func run(_ server: ScriptedServer, _ arguments: String..., environment: [String: String] = [:])
        async throws -> ProductRun
    {
        try await ToolProcess(filled(arguments, server), environment: environment).finished()
    }

    // MARK: Addresses

    @Test(arguments: [
        ("a.test", "no port after the host “a.test”"), (":80:127.0.0.1", "no host"),
        ("a:b:127.0.0.1", "“b” is no port"),
        ("a:0:127.0.0.1", "“0” is no port"), ("a:80", "no address after the port"), ("a:80:", "no address"),
        ("a:80:localhost", "“localhost” is no IP address"), ("a:80:127.0.0.1:x", "“x” is no port for the address"),
        ("a:80:[::1", "is no IP address"), ("a:80:999.1.1.1", "“999.1.1.1” is no IP address"),
    ])
    func anAddressThatIsNoneIsToldByWhatIsWrong(text: String, problem: String) async throws {
        let run = try await tool("--resolve", text, "http://a.test/")
        #expect(run.status == 64 && run.stderr.contains(problem), "\(run)")
        #expect(run.stderr.contains("example.com:443:127.0.0.1"))
    }

    @Test func aFamilyOfAddressesCanBeChosen() async throws {
        try await ScriptedServer.start { _ in .ok("hi") }.use { server in
            for flag in ["-4", "--ipv4"] {
                #expect(try await run(server, flag, "http://localhost:PORT").stdout == "hi")
            }
            let other = try await run(server, "-6", "http://localhost:PORT")
            #expect(other.status == 1 && other.stderr.contains("[::1]:\(server.port)"), "\(other)")
            #expect(!other.stderr.contains("127.0.0.1"))
            let none = try await run(server, "--ipv6", "URL")
            #expect(none.status == 1 && none.stderr.contains("127.0.0.1 has no address of IPv6"), "\(none)")
            #expect(none.stderr.contains("-4 and -6"))
            #expect(server.requests.count == 2)
        }
    }

    @Test func aConnectionComesFromWhereItIsAskedTo() async throws {
        try await ScriptedServer.start { _ in .ok("hi") }.use { server in
            #expect(try await run(server, "--interface", "127.0.0.1", "URL").stdout == "hi")
            // An address for documentation (RFC 5737), which no host has.
            let other = try await run(server, "--interface", "192.0.2.1", "URL")
            #expect(other.status == 1 && other.stderr.contains("check that --interface is of this machine"), "\(other)")
        }
    }

    @Test func aUnixSocketIsConnectedToWhateverTheHost() async throws {
        try await withFolder { folder in
            let path = folder.appending(path: "s").path
            let server = try LocalHTTPServer(path)
            let run = try await tool("--unix-socket", path, "http://docker.invalid/containers/json")
            withExtendedLifetime(server) {}
            #expect(run.status == 0, "\(run)")
            #expect(run.stdout.hasPrefix("GET /containers/json HTTP/1.1\r\nHost: docker.invalid\r\n"))
            let none = try await tool("--unix-socket", path + "x", "http://docker.invalid/")
            #expect(none.status == 1 && none.stderr.contains(path + "x") && none.stderr.contains("the socket's path"))
        }
    }

    // MARK: Proxies

    private static let noProxy = ["http_proxy": "", "all_proxy": "", "no_proxy": "", "HTTP_PROXY": "", "ALL_PROXY": ""]

    @Test(arguments: [
        ["--proxy", "URL"], ["--proxy", "127.0.0.1:PORT"], ["--proxy=http:URL"], ["--proxy=all:URL"],
        ["--proxy=https:http://127.0.0.1:1", "--proxy=http:URL"], ["--proxy=none", "--proxy=URL"],
    ])
    func aRequestGoesThroughTheProxyThatIsGiven(words: [String]) async throws {
        try await ScriptedServer.start { .ok($0.target) }.use { server in
            let run = try await ToolProcess(
                filled(words + ["http://a.invalid/x"], server), environment: Self.noProxy
            ).finished()
            #expect(run.status == 0 && run.stdout == "http://a.invalid/x", "\(run)")
        }
    }

    @Test func aProxyIsNotUsedWhereItIsNotMeant() async throws {
        try await ScriptedServer.start { .ok($0.target) }.use { server in
            let proxied = Self.noProxy.merging(["http_proxy": "http://127.0.0.1:1"]) { $1 }
            let resolve = "--resolve=a.test:80:127.0.0.1:PORT"
            #expect(
                try await run(server, "--proxy=none", resolve, "http://a.test/x", environment: proxied).stdout == "/x")
            #expect(
                try await run(
                    server, "--proxy=https:http://127.0.0.1:1", resolve, "http://a.test/x", environment: Self.noProxy
                ).stdout == "/x")
            let dead = try await run(server, "--proxy=http://127.0.0.1:1", resolve, "http://a.test/")
            #expect(dead.status == 1 && dead.stderr.contains("check that the proxy runs"), "\(dead)")
        }
    }

    // MARK: TLS

    @Test func whatIsTrustedCanBeSaid() async throws {
        try await withFolder { folder in
            let (roots, notes) = (folder.appending(path: "roots.pem").path, folder.appending(path: "notes.pem").path)
            try TestCertificates.authorityPEM.write(toFile: roots, atomically: false, encoding: .utf8)
            try "dear diary".write(toFile: notes, atomically: false, encoding: .utf8)
            try await ScriptedServer.start(tls: .localhost) { _ in .ok("hi") }.use { server in
                for words in [["--cacert", roots], ["--verify=no"], ["--verify=false"], ["--verify", roots]] {
                    let run = try await ToolProcess(words + [server.url]).finished()
                    #expect(run.status == 0 && run.stdout == "hi", "\(run)")
                }
                for (words, texts) in [
                    ([], ["is not trusted", "trust it by --cacert"]),
                    (["--cacert", roots + "x"], ["--cacert cannot be read from \(roots)x: No such file"]),
                    (["--cacert", notes], ["--cacert cannot be read from \(notes): there is none in PEM"]),
                    (
                        ["--verify=no", "--cert", roots + "x"],
                        ["--cert: the file \(roots)x cannot be read: No such file"]
                    ),
                    (["--verify=no", "--cert", notes], ["--cert cannot be read from \(notes): there is none in PEM"]),
                    (
                        ["--verify=no", "--cert", roots, "--cert-key", notes],
                        ["--cert-key cannot be read from \(notes): there is none in PEM, or it is encrypted"]
                    ),
                ] {
                    let run = try await ToolProcess(words + [server.url]).finished()
                    #expect(run.status == 1, "\(run)")
                    for text in texts { #expect(run.stderr.contains(text), "\(run)") }
                    #expect(!run.stderr.contains("tls."))
                }
            }
        }
    }

    @Test func theVersionsOfTLSCanBeSaid() async throws {
        let identity = TLSIdentity.localhost.with(versions: .tls12 ... .tls12)
        try await ScriptedServer.start(tls: identity) { _ in .ok("hi") }.use { server in
            for words in [["--tls-max=1.2"], ["--tls-min=1.0"], ["--tls-min", "1.1", "--tls-max", "1.3"]] {
                let run = try await ToolProcess(words + ["--verify=no", server.url]).finished()
                #expect(run.status == 0, "\(run)")
            }
            for words in [["--tls-min=1.3"], ["--tls-max=1.1"]] {
                let run = try await ToolProcess(words + ["--verify=no", server.url]).finished()
                #expect(run.status == 1 && run.stderr.contains("--tls-min and --tls-max"), "\(run)")
            }
        }
    }

    @Test(arguments: [TLSIdentity.Version.tls12, .tls13])
    func aServerThatAsksWhoComesIsShownTheCertificate(version: TLSIdentity.Version) async throws {
        let client = ClientCertificate.self
        let identity = TLSIdentity.localhost.with(versions: version...version).with(clientAuthorityPEM: client.pem)
        try await withFolder { folder in
            func file(_ name: String, _ text: String) throws -> String {
                let path = folder.appending(path: name).path
                try text.write(toFile: path, atomically: false, encoding: .utf8)
                return path
            }
            let (cert, key) = (try file("cert.pem", client.pem + "\n"), try file("key.pem", client.keyPEM + "\n"))
            let both = try file("both.pem", "\(client.keyPEM)\n\(client.pem)\n")
            let encrypted = try file("encrypted.pem", client.encryptedKeyPEM + "\n")
            try await ScriptedServer.start(tls: identity) { _ in .ok("hi") }.use { server in
                for words in [
                    ["--cert", cert, "--cert-key", key], ["--cert", both],
                    ["--cert", cert, "--cert-key", encrypted, "--cert-key-pass", client.passphrase],
                ] {
                    let run = try await ToolProcess(words + ["--verify=no", server.url]).finished()
                    #expect(run.status == 0 && run.stdout == "hi", "\(run)")
                }
                let words = ["--cert", cert, "--cert-key", encrypted, "--verify=no", server.url]
                let asking = try ToolProcess(words, output: .terminal, asks: true)
                try await asking.answer("passphrase of \(encrypted): ", with: client.passphrase + "\n")
                #expect(try await asking.finished().status == 0)
                let requests = server.requests.count
                #expect(requests == 4)

                let wrong = try await ToolProcess(words + ["--cert-key-pass=x"]).finished()
                #expect(wrong.status == 1 && wrong.stderr.contains("--cert-key cannot be read"), "\(wrong)")
                let none = try await ToolProcess(["--verify=no", server.url]).finished()
                #expect(none.status == 1 && none.stderr.contains("--cert"), "\(none)")
                let other = TLSIdentity.selfSigned
                let stranger = try file("other.pem", other.certificatesPEM + "\n" + other.privateKeyPEM + "\n")
                let refused = try await ToolProcess(["--cert", stranger, "--verify=no", server.url]).finished()
                #expect(refused.status == 1 && refused.stderr.contains("--cert"), "\(refused)")
                #expect(server.requests.count == requests)
            }
        }
    }

    @Test func thePassphraseOfAKeyIsAskedFor() async throws {
        try await withFolder { folder in
            let key = folder.appending(path: "key.pem").path
            let text = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"
            try text.write(toFile: key, atomically: false, encoding: .utf8)
            try await ScriptedServer.start(tls: .localhost).use { server in
                let words = ["--verify=no", "--cert", key, server.url]
                let tool = try ToolProcess(words, output: .terminal, asks: true)
                try await tool.answer("passphrase of \(key): ", with: "geheim\n")
                let run = try await tool.finished()
                #expect(run.status == 1 && !run.shown.contains("geheim"), "\(run)")
                let nobody = try await ToolProcess(words, asks: false).finished()
                #expect(nobody.status == 64 && nobody.stderr.contains("--cert-key-pass"), "\(nobody)")
            }
        }
    }

    // MARK: Usage

    @Test(arguments: [
        (["--http-version=3", "URL"], "HTTP/3 is not supported"), (["--http-version=0.9", "URL"], "use 1.1 or 2"),
        (["--ciphers=HIGH:TLS_AES_128_GCM_SHA256", "URL"], "“HIGH” is a rule or a group"),
        (["--ciphers=AES128-SHA:!MD5", "URL"], "“!MD5” is a rule or a group"),
        (["--ciphers=FOO", "URL"], "not a cipher suite"), (["--ciphers=:", "URL"], "no cipher suite in the list"),
        (["--noproxy=1.2.3.4/99", "URL"], "no host, address or network"),
        (["--http-version=1.0", "--chunked", "URL", "a=b"], "exclude each other"),
        (["--proxy=socks5://u:p@127.0.0.1:1", "--proxy-auth-type=digest", "URL"], "is for HTTP proxies"),
        (["--request-target=/x", "OPTIONS", "URL"], "only * can be given"),
        (["--request-target=*", "URL"], "--request-target * needs the method OPTIONS"),
        (["--http-version=x", "URL"], "use 1.0, 1.1, 2 or 2-prior-knowledge"),
        (["-4", "-6", "URL"], "-4 and -6 exclude"), (["--proxy=ftp://a", "URL"], "no scheme that is known"),
        (["--proxy=", "URL"], "--proxy"), (["--tls-min=1.3", "--tls-max=1.2", "URL"], "--tls-min is above"),
        (["--tls-min=1.4", "URL"], "--tls-min"), (["--cert-key=k", "URL"], "--cert-key needs --cert"),
        (["--verify=no", "--cacert=x", "URL"], "exclude each other"),
        (["--unix-socket=s", "--proxy=URL", "URL"], "exclude each other"),
        (["--unix-socket=", "URL"], "--unix-socket"),
        (["--connect-timeout=x", "URL"], "--connect-timeout"),
    ])
    func whatMakesNoSenseIsToldAndNothingIsSent(words: [String], text: String) async throws {
        try await ScriptedServer.start().use { server in
            let run = try await ToolProcess(filled(words, server)).finished()
            #expect(run.status == 64 && run.stderr.contains(text), "\(run)")
            #expect(server.acceptedConnections == 0)
        }
    }
}
#endif
