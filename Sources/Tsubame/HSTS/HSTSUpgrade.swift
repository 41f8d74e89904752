// HSTSUpgrade: changes http to https for hosts that ask for it, and records the hosts that ask.

import HTTPTypes
import TsubameCore
import TsubameWire

/// The scheme becomes https. Port 80 becomes 443; any other port stays (RFC 6797 section 8.3).
final class HSTSUpgrade: ChainStep {
    private let store: HSTSStore
    /// Whether the field is accepted: a connection with an unverified certificate proves nothing (section 8.1).
    private let believes: Bool

    init(_ store: HSTSStore, _ configuration: Configuration) {
        self.store = store
        believes = configuration.connection.tls.verification == .full
    }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) {
        // This check comes before anything is copied, because most clients never meet such a host.
        guard store.isUsed, !request.isSecure, let uri = request.uri, store.contains(uri.host) else { return }
        request.target = .uri(uri.upgraded)
        call.emit(.decision("the request to \(uri.host) goes by https: the host accepts nothing else (HSTS)"))
    }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        learn(response, call)
        return false
    }

    private func learn(_ response: borrowing Response, _ call: Call) {
        guard believes, response.request.isSecure, response.headers.contains(.strictTransportSecurity),
            let uri = response.request.uri, response.connection?.tls != nil,
            // Only the first field counts (section 8.1).
            let text = response.headers[values: .strictTransportSecurity].first, !store.knows(text, of: uri.host)
        else { return }
        guard let field = StrictTransport(text) else {
            call.emit(.decision("\(uri.host)'s Strict-Transport-Security is ignored: its syntax is invalid"))
            return
        }
        if store.take(field, as: text, from: uri.host) {
            call.emit(
                .decision(
                    field.maxAge > 0
                        ? "from now on \(uri.host) is reached by https only (HSTS)"
                        : "from now on \(uri.host) may be reached by http again (HSTS)"))
        }
    }
}

extension TargetURI {
    /// The same URI by https. Port 80 becomes 443; any other port stays.
    var upgraded: TargetURI {
        TargetURI(
            origin: Origin(isSecure: true, host: host, port: origin.port == 80 ? 443 : origin.port), target: target,
            pathLength: path.utf8.count, fragment: fragment, userinfo: userinfo)
    }
}
