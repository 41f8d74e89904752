// SettingsCheckTests: invalid settings are found before a connection is made.

import Foundation
import Testing

@testable import TsubameCore

@Suite struct SettingsCheckTests {
    private static let pin = "sha256/" + String(repeating: "A", count: 43) + "="

    private func fault(_ change: (inout ConnectionSettings) -> Void) -> CallError? {
        var settings = ConnectionSettings()
        change(&settings)
        return SharedSettings(settings).fault
    }

    @Test(arguments: [
        "https://localhost", "localhost:443", "localhost/", "*", "*.*.example", "", "a b", "me@localhost", "[::1]:443",
    ])
    func `BAD-INPUT 32: a pin under a name that is no host is a fault`(_ name: String) {
        let keys = PinnedKeys(Self.pin, backup: Self.pin)
        let error = fault { $0.tls.pins[name] = keys }
        #expect(error?.kind == .invalidRequest && error?.reason.contains("tls.pins") == true)
        #expect(fault { $0.proxyTLS.pins[name] = keys }?.reason.contains("connection.proxyTLS.pins") == true)
    }

    @Test(arguments: [
        "", "what", "sha256/", "sha1/" + String(repeating: "A", count: 43) + "=",
        "sha256/" + String(repeating: "é", count: 44),
        " sha256/" + String(repeating: "A", count: 43) + "=", "sha256/" + String(repeating: "A", count: 43) + "=\n",
        "sha256/" + String(repeating: "A", count: 43), "sha256/" + String(repeating: "A", count: 42) + "==",
    ])
    func `BAD-INPUT 32: a malformed pin is a fault`(_ pin: String) {
        let error = fault { $0.tls.pins["localhost"] = PinnedKeys(Self.pin, backup: pin) }
        #expect(error?.kind == .invalidRequest && error?.reason.contains("invalid pin") == true)
    }

    @Test func `a pin may come without its algorithm`() {
        #expect(fault { $0.tls.pins["localhost"] = PinnedKeys(String(Self.pin.dropFirst(7)), backup: Self.pin) } == nil)
    }

    @Test(arguments: ["http://a.example", "a/b", "a.example:0", "a b"])
    func `a key of resolve that is no host is a fault`(_ key: String) {
        let error = fault { $0.resolve[key] = "192.0.2.1" }
        #expect(error?.kind == .invalidRequest && error?.reason.contains("resolve[") == true)
    }

    @Test(arguments: [0, -1, Int.min]) func `a limit of connections below 1 is a fault`(_ limit: Int) {
        #expect(fault { $0.connectionsPerOrigin = limit }?.reason == "connection.connectionsPerOrigin is \(limit)")
        #expect(fault { $0.connections = limit }?.reason == "connection.connections is \(limit)")
    }

    @Test func `a place of a file that is no file URL is a fault`() throws {
        let url = try #require(URL(string: "keys.log"))
        #expect(fault { $0.unixSocket = .file(url) }?.reason == "connection.unixSocket is no file URL: keys.log")
        #expect(fault { $0.tls.keyLogFile = .file(url) }?.reason.hasPrefix("connection.tls.keyLogFile is no ") == true)
        #expect(fault { $0.proxyTLS.keyLogFile = .file(url) }?.reason.contains("proxyTLS.keyLogFile") == true)
        let folder = "/tmp"
        #expect(fault { $0.unixSocket = "\(folder)/x.sock" } == nil)
        #expect(FileLocation.file(URL(filePath: "/tmp/a b")).path == "/tmp/a b")
    }

    @Test func `the default settings have no fault`() { #expect(fault { _ in } == nil) }
}
