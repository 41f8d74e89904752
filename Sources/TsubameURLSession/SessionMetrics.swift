// SessionMetrics: the times and the connection of an exchange, as URLSession reports them at its end.

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Tsubame
import TsubameCore

/// The facts of one transaction. FoundationNetworking reports none.
struct SessionMetrics {
    var resolved: Date?
    /// Before TLS.
    var connected: Date?
    var secured: Date?
    var sent: Date?
    var head: Date?
    var end: Date?
    /// Such as `h2`; nil if no connection carried the exchange.
    var protocolName: String?
    var remoteAddress: String?
    var localAddress: String?
    var isReused = false
    var isThroughProxy = false
    /// The number of the version of TLS in its records (RFC 8446, section 4.2.1).
    var tlsVersion: UInt16?

    /// - Parameter start: when the call began.
    func timings(since start: Date) -> Timings {
        // A reused connection has no times of connecting, and its call may have begun after them.
        func time(_ date: Date?) -> Duration? {
            guard let seconds = date?.timeIntervalSince(start), seconds >= 0, seconds < 1e9 else { return nil }
            return .nanoseconds(Int64(seconds * 1e9))
        }
        return Timings(
            resolved: time(resolved), connected: time(connected), secured: time(secured), sent: time(sent),
            head: time(head), total: time(end))
    }

    /// The connection. URLSession does not number its connections, so each exchange names another one.
    var connection: ConnectionInfo? {
        guard let version, let remoteAddress else { return nil }
        let info = ConnectionInfo(
            remoteAddress: remoteAddress, localAddress: localAddress ?? "",
            proxy: isThroughProxy ? "a proxy of the system" : nil,
            tls: tlsVersion.map {
                TLSInfo(version: Self.name(ofTLS: $0), applicationProtocol: protocolName, certificate: nil)
            }, version: version)
        return isReused ? info.reused() : info
    }

    private var version: HTTPVersion? {
        switch protocolName {
        case "h3": .http3
        case "h2": .http2
        case "http/1.1": .http11
        case "http/1.0": .http10
        default: nil
        }
    }

    private static func name(ofTLS version: UInt16) -> String {
        switch version {
        case 0x0301: "TLS 1.0"
        case 0x0302: "TLS 1.1"
        case 0x0303: "TLS 1.2"
        case 0x0304: "TLS 1.3"
        default: "TLS"
        }
    }
}

#if !canImport(FoundationNetworking)
extension SessionMetrics {
    /// The last transaction of a task, since a task that was sent again has several.
    init?(_ metrics: URLSessionTaskMetrics) {
        guard let last = metrics.transactionMetrics.last else { return nil }
        resolved = last.domainLookupEndDate
        // URLSession counts TLS as a part of connecting.
        connected = last.secureConnectionStartDate ?? last.connectEndDate
        secured = last.secureConnectionEndDate
        sent = last.requestEndDate
        head = last.responseStartDate
        end = last.responseEndDate
        protocolName = last.networkProtocolName
        remoteAddress = Self.address(last.remoteAddress, last.remotePort.map { "\($0)" })
        localAddress = Self.address(last.localAddress, last.localPort.map { "\($0)" })
        isReused = last.isReusedConnection
        isThroughProxy = last.isProxyConnection
        tlsVersion = last.negotiatedTLSProtocolVersion.map { UInt16($0.rawValue) }
    }

    private static func address(_ host: String?, _ port: String?) -> String? {
        guard let host else { return nil }
        let text = host.contains(":") ? "[\(host)]" : host
        return port.map { "\(text):\($0)" } ?? text
    }
}
#endif
