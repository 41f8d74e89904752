// HSTSStore: the hosts that have asked to be reached by https only (RFC 6797), and the policy of a client.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import Synchronization
import TsubameCore
import TsubameWire

/// The hosts that are reached by https only. A store is safe to use from any thread.
///
/// ```swift
/// let store = HSTSStore(text: (try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
/// let client = Client { $0.hsts = .store(store) }
/// …
/// try store.text.write(toFile: path, atomically: true, encoding: .utf8)
/// ```
/// A host asks for https in a response over a connection with a verified certificate. It asks for itself, and for all
/// hosts below it if the field says so. The host also sets how long this holds. IP addresses cannot ask. A store keeps
/// at most 10,000 hosts.
public final class HSTSStore: Sendable {
    private let entries: Mutex<HSTSEntries>
    /// The last field of each host, and its time. Most hosts send the same field with every response.
    private let texts = Mutex<[String: (text: String, time: Int64)]>([:])
    /// Most clients never meet an HSTS host. This flag is then the only cost.
    private let isInUse: Atomic<Bool>
    var isUsed: Bool { isInUse.load(ordering: .relaxed) }

    /// Creates an empty store.
    public convenience init() { self.init(HSTSEntries()) }

    /// Creates a store from ``text``, or from the contents of curl's `--hsts` file.
    ///
    /// Each line names a host, `host "YYYYMMDD HH:MM:SS"`, with a leading dot if hosts below it are included. Other
    /// lines are skipped.
    public convenience init(text: String) { self.init(HSTSFile.read(text)) }

    private init(_ entries: HSTSEntries) {
        isInUse = Atomic(!entries.isEmpty)
        self.entries = Mutex(entries)
    }

    /// The hosts, sorted.
    public var hosts: [String] { entries.withLock { $0.entries.keys.sorted() } }

    /// The entries as text for a file, in the format of ``init(text:)``.
    public var text: String { entries.withLock { HSTSFile.write($0) } }

    /// Whether this host is reached by https only.
    public func contains(_ host: String) -> Bool {
        isUsed && entries.withLock { $0.contains(host.lowercased(), now: Self.now) }
    }

    /// Removes every host.
    public func clear() {
        entries.withLock { $0.removeAll() }
        texts.withLock { $0 = [:] }
    }

    /// - Returns: whether anything but the time changed.
    func take(_ field: StrictTransport, as text: String, from host: String) -> Bool {
        isInUse.store(true, ordering: .relaxed)
        texts.withLock { texts in
            if texts.count >= HSTSEntries.maximum { texts = [:] }
            // A short max-age must be renewed with each response.
            texts[host] = field.maxAge > 86_400 ? (text, Self.now) : nil
        }
        return entries.withLock { $0.take(field, from: host, now: Self.now) }
    }

    /// Whether the host has sent exactly this field within the last hour.
    func knows(_ text: String, of host: String) -> Bool {
        guard isUsed else { return false }
        return texts.withLock { texts in
            guard let last = texts[host] else { return false }
            return last.text == text && last.time &+ 3_600 > Self.now && last.time <= Self.now
        }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

extension HSTSStore: CustomStringConvertible {
    /// The number of hosts.
    public var description: String { "\(entries.withLock { $0.entries.count }) hosts by https only" }
}
