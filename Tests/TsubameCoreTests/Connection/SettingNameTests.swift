// SettingNameTests: every connection setting has a name, and is found if it differs from its default.

import Testing
import TsubameCore

@Suite struct SettingNameTests {
    @Test func `every stored property has a name`() {
        let settings = ConnectionSettings()
        var names: Set<String> = []
        for child in Mirror(reflecting: settings).children {
            guard let label = child.label else { continue }
            if child.value is ConnectionSettings.TLS {
                for part in Mirror(reflecting: child.value).children {
                    names.insert("connection.\(label).\(part.label ?? "")")
                }
            } else {
                names.insert("connection.\(label)")
            }
        }
        #expect(names == Set(ConnectionSettings.Name.allCases.map(\.rawValue)))
    }

    @Test func `defaults differ in nothing, apart from a proxy of the environment`() {
        var settings = ConnectionSettings()
        settings.proxy = .none
        #expect(settings.changed.isEmpty)
        settings.proxy = .environment(["http_proxy": "http://proxy.example"])
        #expect(settings.changed == [.proxy])
        settings.proxy = .environment([:])
        #expect(settings.changed.isEmpty)
    }

    private static let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    private static let changes: [ConnectionSettings.Name: @Sendable (inout ConnectionSettings) -> Void] = [
        .httpVersion: { $0.httpVersion = .http11 },
        .proxy: { $0.proxy = .url("http://proxy.example") },
        .resolve: { $0.resolve = ["*": "127.0.0.1"] },
        .resolver: { $0.resolver = .custom { _ in NameResolver.Answer([]) } },
        .addressLifetime: { $0.addressLifetime = .zero },
        .unixSocket: { $0.unixSocket = "/s" },
        .addressFamily: { $0.addressFamily = .ipv4 },
        .allowedAddresses: { $0.allowedAddresses = .publicOnly },
        .interface: { $0.interface = "lo" },
        .connectionsPerOrigin: { $0.connectionsPerOrigin = 1 },
        .connections: { $0.connections = 1 },
        .idleConnectionLifetime: { $0.idleConnectionLifetime = .zero },
        .connectionLifetime: { $0.connectionLifetime = .seconds(1) },
        .exchangesPerConnection: { $0.exchangesPerConnection = 1 },
    ]

    private static let tlsChanges: [String: @Sendable (inout ConnectionSettings.TLS) -> Void] = [
        "roots": { $0.roots = .pem("") },
        "verification": { $0.verification = .dangerouslyOff },
        "minimumVersion": { $0.minimumVersion = .tls13 },
        "maximumVersion": { $0.maximumVersion = .tls12 },
        "cipherSuites": { $0.cipherSuites = [] },
        "minimumRSABits": { $0.minimumRSABits = 1_024 },
        "identity": { $0.identity = .pem(certificate: "", key: "") },
        "pins": { $0.pins = ["a.example": PinnedKeys(Self.pin, backup: Self.pin)] },
        "check": { $0.check = TLSCheck { _, _ in } },
        "keyLogFile": { $0.keyLogFile = "/k" },
    ]

    @Test(arguments: ConnectionSettings.Name.allCases)
    func `a setting that differs is named, and no other`(name: ConnectionSettings.Name) throws {
        var settings = ConnectionSettings()
        settings.proxy = .none
        let parts = name.rawValue.split(separator: ".").map(String.init)
        if parts.count == 3 {
            let change = try #require(Self.tlsChanges[parts[2]])
            if parts[1] == "tls" { change(&settings.tls) } else { change(&settings.proxyTLS) }
        } else {
            let change = try #require(Self.changes[name])
            change(&settings)
        }
        #expect(settings.changed == [name])
        #expect(settings.differences(from: settings).isEmpty)
    }
}
