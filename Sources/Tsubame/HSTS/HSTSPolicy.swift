// HSTSPolicy: whether a client follows HSTS, and with which store.

/// Whether a client uses https only for hosts that ask for it by `Strict-Transport-Security` (RFC 6797).
public struct HSTSPolicy: Sendable {
    let store: HSTSStore?

    /// Requests to `http:` URLs stay unencrypted.
    public static let off = HSTSPolicy(store: nil)
    /// A new store in memory. The client and its views share it, and it ends with them.
    public static var memory: HSTSPolicy { HSTSPolicy(store: HSTSStore()) }
    /// A store of your own, which you can read, save to a file, or share between clients.
    public static func store(_ store: HSTSStore) -> HSTSPolicy { HSTSPolicy(store: store) }
}

extension HSTSPolicy: CustomStringConvertible {
    public var description: String { store.map(\.description) ?? "off" }
}
