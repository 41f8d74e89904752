// SessionMetricsTests: what becomes of the times that URLSession reports on Apple's systems, and of its certificates.

import Foundation
import Testing
import TsubameCore
import TsubameTesting

@testable import TsubameURLSession

@Suite struct SessionMetricsTests {
    private let start = Date(timeIntervalSince1970: 1_000_000)

    private func after(_ seconds: Double) -> Date { start.addingTimeInterval(seconds) }

    @Test func `the times count from the start of the call`() {
        let timings = SessionMetrics(
            resolved: after(0.25), connected: after(0.5), secured: after(0.75), sent: after(1), head: after(2),
            end: after(4)
        ).timings(since: start)
        #expect(timings.resolved == .milliseconds(250) && timings.connected == .milliseconds(500))
        #expect(timings.secured == .milliseconds(750) && timings.sent == .seconds(1))
        #expect(timings.head == .seconds(2) && timings.total == .seconds(4))
    }

    @Test func `a step that did not happen, or happened before the call, has no time`() {
        let timings = SessionMetrics(resolved: after(-3), connected: .distantFuture, sent: start).timings(since: start)
        #expect(timings.resolved == nil && timings.connected == nil && timings.secured == nil)
        #expect(timings.sent == .zero && timings.head == nil && timings.total == nil)
    }

    @Test(arguments: [
        ("h3", HTTPVersion.http3), ("h2", .http2), ("http/1.1", .http11), ("http/1.0", .http10), ("spdy/3", nil),
        (nil, nil),
    ]) func `the protocol is the version of the connection`(name: String?, version: HTTPVersion?) {
        let metrics = SessionMetrics(protocolName: name, remoteAddress: "192.0.2.1:443")
        #expect(metrics.connection?.version == version)
    }

    @Test func `a connection has its addresses, its TLS, and whether it is reused`() {
        var metrics = SessionMetrics(
            protocolName: "h2", remoteAddress: "[2001:db8::1]:443", localAddress: "[2001:db8::2]:5000", isReused: true,
            isThroughProxy: true, tlsVersion: 0x0304)
        let connection = metrics.connection
        #expect(connection?.remoteAddress == "[2001:db8::1]:443" && connection?.localAddress == "[2001:db8::2]:5000")
        #expect(connection?.tls?.version == "TLS 1.3" && connection?.tls?.applicationProtocol == "h2")
        #expect(connection?.isReused == true && connection?.proxy != nil)
        metrics.remoteAddress = nil
        #expect(metrics.connection == nil)
    }

    @Test(
        arguments: [
            (0x0301, "TLS 1.0"), (0x0302, "TLS 1.1"), (0x0303, "TLS 1.2"), (0x0304, "TLS 1.3"), (0xFEFD, "TLS"),
        ] as [(UInt16, String)]) func `a version of TLS is known by its number`(number: UInt16, name: String)
    {
        let metrics = SessionMetrics(protocolName: "h2", remoteAddress: "192.0.2.1:443", tlsVersion: number)
        #expect(metrics.connection?.tls?.version == name)
    }

    @Test func `the pin of a certificate is the one that openssl computes`() throws {
        let lines = TLSIdentity.localhost.certificatesPEM.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        let der = try #require(Data(base64Encoded: lines.joined()))
        let certificate = SystemCertificate(der: Bytes(der))
        #expect(certificate.publicKeyPin == "sha256/sw5zgc0dhNyKbpEoOts5WZo1QEpQqmznUVCcjKLgfqs=")
        #expect(SystemCertificate(der: Bytes(der.dropLast(900))).publicKeyPin.isEmpty)
        var settings = ConnectionSettings.TLS()
        settings.pins = ["localhost": PinnedKeys(certificate.publicKeyPin, backup: "sha256/")]
        let tls = TLSInfo(version: "TLS", applicationProtocol: nil, certificate: ServerCertificate(certificate))
        try settings.check(tls, host: "localhost")
        let other = TLSInfo(version: "TLS", applicationProtocol: nil, certificate: nil)
        #expect(throws: CallError.self) { try settings.check(other, host: "localhost") }
    }

    @Test func `hosts with pins or a check share no session with others`() throws {
        var settings = ConnectionSettings.TLS()
        #expect(ServerVerification(settings, host: "api.example.com") == nil)
        settings.pins = ["*.example.com": PinnedKeys("sha256/", backup: "sha256/")]
        let api = ServerVerification(settings, host: "api.example.com")
        #expect(api != nil && api == ServerVerification(settings, host: "api.example.com"))
        #expect(api != ServerVerification(settings, host: "img.example.com"))
        #expect(ServerVerification(settings, host: "example.org") == nil)
        #expect(api?.isFor("API.example.com.") == true && api?.isFor("img.example.com") == false)
        settings.pins = ["[::1]": PinnedKeys("sha256/", backup: "sha256/")]
        let loopback = ServerVerification(settings, host: try #require(Origin("https://[::1]")).host)
        #expect(loopback?.isFor("::1") == true && loopback?.isFor("[::1]") == true)
        settings.pins = [:]
        settings.check = TLSCheck { _, _ in }
        #expect(ServerVerification(settings, host: "example.org")?.host == "example.org")
    }
}
