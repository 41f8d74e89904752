// HostNameTests: one form of a host from the URL to the wire: BAD-INPUT 26 and 27 in DNS, TLS, cookies and sockets.

import HTTPTypes
import NIOCore
import NIOPosix
import Testing
import Tsubame
import TsubameCore
@testable import TsubameEngine
import TsubamePlatform
import TsubameSockets
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct HostNameTests {
    @Test("BAD-INPUT 26: DNS, the Host field, cookies and the pool see one A-label")
    func internationalNames() async throws {
        let (book, jar) = (NameBook(["127.0.0.1"]), CookieJar())
        let server = try await ScriptedServer.start { _ in .ok("hi", headers: [.setCookie: "a=b; Path=/"]) }
        try await serving(server, base: "http://Bücher.example:\(server.port)") {
            $0.connection.resolver = book.resolver
            $0.cookies = .jar(jar)
        } _: { server, client in
            _ = try await client.get("x")
            for name in [
                "xn--bcher-kva.example", "bu\u{308}cher。example", "XN--BCHER-KVA.EXAMPLE", "b%C3%BCcher.example",
            ] {
                let response = try await client.get(url: "http://\(name):\(server.port)/x")
                #expect(response.connection?.isReused == true)
            }
            let request = try await server.request(4)
            #expect(book.asked == ["xn--bcher-kva.example"])
            #expect(server.requests.allSatisfy { $0["host"] == "xn--bcher-kva.example:\(server.port)" })
            #expect(request["cookie"] == "a=b")
            #expect(jar.cookies.map(\.domain) == ["xn--bcher-kva.example"])
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test("BAD-INPUT 26: TLS sees the same A-label")
    func serverName() async throws {
        let book = NameBook(["127.0.0.1"])
        let server = try await ScriptedServer.start(tls: .wrongHost)
        try await serving(server, base: "https://bücher.example:\(server.port)") {
            $0.connection.resolver = book.resolver
            $0.connection.tls.roots = .authority
        } _: { _, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .tls && error.reason.contains("not for xn--bcher-kva.example"), "\(error)")
        }
    }

    @Test("BAD-INPUT 26: localhost and the names below it are this machine, and DNS is not asked")
    func localhost() async throws {
        let book = NameBook(["192.0.2.1"])
        let server = try await ScriptedServer.start { _ in .ok("hi") }
        try await serving(server) {
            $0.connection.resolver = book.resolver
        } _: { server, client in
            for name in ["localhost", "a.localhost", "A.B.LOCALHOST", "localhost.", "a.localhost.", "ａ.localhost"] {
                let response = try await client.get(url: "http://\(name):\(server.port)/x")
                #expect(response.connection?.remoteAddress == "127.0.0.1:\(server.port)")
            }
            #expect(book.asked == [])
        }
    }

    @Test(
        "BAD-INPUT 27: an address is connected to as what it is, and DNS is not asked",
        arguments: ["127.1", "0x7f.1", "0177.0.0.1", "2130706433", "127.0.0.1.", "%31%32%37.1", "１２７.1"])
    func addresses(host: String) async throws {
        let book = NameBook(["192.0.2.1"])
        let server = try await ScriptedServer.start { _ in .ok("hi") }
        try await serving(server) {
            $0.connection.resolver = book.resolver
        } _: { server, client in
            _ = try await client.get("x")
            let response = try await client.get(url: "http://\(host):\(server.port)/x")
            // The pool's key is the key of 127.0.0.1.
            #expect(response.connection?.isReused == true)
            #expect(try await server.request(1)["host"] == "127.0.0.1:\(server.port)")
            #expect(book.asked == [])
        }
    }

    @Test("BAD-INPUT 27: an IPv4-mapped address is the IPv4 address to whoever asks whether it is allowed")
    func mappedAddresses() throws {
        let loopback = try #require(IPAddress("127.0.0.1"))
        for text in ["::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:FFFF:7F00:0001"] {
            let address = try #require(IPAddress(text))
            #expect(address.unmapped == loopback)
            #expect(address.isLoopback)
            #expect(address.isWithin(try #require(IPAddress("127.0.0.0")), prefix: 8))
            #expect(!address.isWithin(try #require(IPAddress("10.0.0.0")), prefix: 8))
            #expect(!address.isWithin(try #require(IPAddress("::")), prefix: 0))
            #expect(address.isWithin(try #require(IPAddress("::ffff:0:0")), prefix: 96))
        }
        for text in ["::127.0.0.1", "::1", "64:ff9b::7f00:1", "fe80::ffff:7f00:1"] {
            let address = try #require(IPAddress(text))
            #expect(address.unmapped == address)
        }
        #expect(IPAddress("fe80::1%eth0") == IPAddress("fe80::1"))
    }

    @Test("an override names its host in any form")
    func overrides() async throws {
        let server = try await ScriptedServer.start { _ in .ok("hi") }
        try await serving(server) {
            for key in ["Bücher.example:80", "0x7f.9:80", "[2001:DB8::0:1]:80", "2001:db8::2:80"] {
                $0.connection.resolve[key] = "127.0.0.1:\(server.port)"
            }
        } _: { server, client in
            for host in ["xn--bcher-kva.example", "127.0.0.9", "[2001:db8::1]", "[2001:db8::2]"] {
                let response = try await client.get(url: "http://\(host)/x")
                #expect(response.connection?.remoteAddress == "127.0.0.1:\(server.port)")
            }
        }
    }

    @Test("BAD-INPUT 26: a zone becomes the scope of the address, and an unknown one is an error")
    func zones() throws {
        #if os(Linux)
        let name = "lo"
        #else
        let name = "lo0"
        #endif
        let number = if_nametoindex(name)
        for zone in [name, "\(number)"] {
            let found = try Resolver.literal(HostPort(host: "fe80::1%\(zone)", port: 81))
            #expect(found == [.ipv6(high: 0xFE80 << 48, low: 1, port: 81, scope: number)])
        }
        let plain = try Resolver.literal(HostPort(host: "fe80::1", port: 81))
        #expect(plain == [.ipv6(high: 0xFE80 << 48, low: 1, port: 81, scope: 0)])
        for zone in ["nothing9", "0", "99999999999", "-1", ""] {
            let error = #expect(throws: CallError.self) {
                try Resolver.literal(HostPort(host: "fe80::1%\(zone)", port: 81))
            }
            #expect(error?.kind == .nameResolution && error?.advice != nil)
        }
    }

    @Test("BAD-INPUT 26: a call to an unknown zone fails before a socket is opened")
    func unknownZone() async throws {
        let error = try await withClient("http://[fe80::1%25nothing9]:81") { client in
            try await failure { try await client.get("x") }
        }
        #expect(error.kind == .nameResolution && error.reason.contains("nothing9"), "\(error)")
    }

    @Test("BAD-INPUT 26: a proxy is not told of a zone")
    func zoneAndProxy() throws {
        let origin = try #require(Origin("https://[fe80::1%25eth0]:81"))
        let handshake = try Proxy("http://127.0.0.1:3128").handshake(
            to: origin, at: HostPort(host: origin.host, port: origin.port), limits: .init())
        let greeting = String(decoding: try #require(handshake).greeting, as: UTF8.self)
        #expect(greeting.hasPrefix("CONNECT [fe80::1]:81 HTTP/1.1\r\nHost: [fe80::1]:81\r\n"))
    }
}
