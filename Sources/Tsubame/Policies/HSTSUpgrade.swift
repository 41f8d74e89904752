// HSTSUpgrade: goes by https where a host has asked for it, and hears who asks.

import HTTPTypes
import TsubameCore
import TsubameWire

/// RFC 6797 section 8.3: the scheme becomes https and the port 443 if it was 80; any other port stays.
struct HSTSUpgrade: CallHook {
    private let store: HSTSStore
    /// What comes over a connection that anybody could have made is not believed (section 8.1).
    private let believes: Bool

    init(_ store: HSTSStore, _ configuration: Configuration) {
        self.store = store
        believes = configuration.connection.tls.verification == .full
    }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) {
        // Before anything is copied: most clients never meet such a host.
        guard store.isUsed, !request.isSecure, let uri = request.uri, store.contains(uri.host) else { return }
        request.target = .uri(uri.upgraded)
        call.emit(.decision("\(uri.host) is asked by https: it wants nothing else (HSTS)"))
    }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) {
        guard believes, response.request.isSecure, response.headers.contains(.strictTransportSecurity),
            let uri = response.request.uri, response.connection?.tls != nil,
            // Only the first field counts (section 8.1).
            let text = response.headers[values: .strictTransportSecurity].first, !store.knows(text, of: uri.host)
        else { return }
        guard let field = StrictTransport(text) else {
            call.emit(.decision("\(uri.host)'s Strict-Transport-Security is not followed: it cannot be understood"))
            return
        }
        if store.take(field, as: text, from: uri.host) {
            call.emit(
                .decision(
                    field.maxAge > 0
                        ? "\(uri.host) is to be reached by https only (HSTS)"
                        : "\(uri.host) need not be reached by https only any more (HSTS)"))
        }
    }
}

extension TargetURI {
    /// By https; the port 80 becomes 443, any other stays.
    var upgraded: TargetURI {
        TargetURI(
            origin: Origin(isSecure: true, host: host, port: origin.port == 80 ? 443 : origin.port), target: target,
            pathLength: path.utf8.count, fragment: fragment, userinfo: userinfo)
    }
}

extension HTTPField.Name {
    fileprivate static let strictTransportSecurity = HTTPField.Name("Strict-Transport-Security") ?? .location
}
