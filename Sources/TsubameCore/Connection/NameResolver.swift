// NameResolver: the source of the addresses of a name.

/// The source of the addresses of names.
///
/// ```swift
/// $0.connection.resolver = .custom { host in
///     NameResolver.Answer(try await directory.addresses(of: host), lifetime: .seconds(30))
/// }
/// ```
/// IP addresses, `localhost` and the hosts in ``ConnectionSettings/resolve`` are never looked up.
public struct NameResolver: Sendable, Hashable, CustomStringConvertible {
    /// The addresses of a host, the best first. Addresses of two families are tried by turns (RFC 8305).
    public struct Answer: Sendable {
        /// IPv4 and IPv6 addresses as text.
        public var addresses: [String]
        /// The time for which the addresses may be used again, at most ``ConnectionSettings/addressLifetime``; nil for
        /// that time.
        public var lifetime: Duration?

        /// Makes an answer.
        public init(_ addresses: [String], lifetime: Duration? = nil) {
            self.addresses = addresses
            self.lifetime = lifetime
        }
    }

    /// The answers of a custom resolver; nil for the system's resolver.
    package let custom: NameCache?
    /// `system` or `custom`.
    public let description: String

    private init(_ custom: NameCache?, _ description: String) {
        self.custom = custom
        self.description = description
    }

    /// The system's resolver: the hosts file, name servers, and all else that the system is configured for.
    public static let system = NameResolver(nil, "system")

    /// A resolver of your own. Calls that need the same host at the same time share one look-up, and their deadlines run
    /// meanwhile. If the closure throws, these calls fail with ``CallError/Kind/nameResolution`` and that error as
    /// `underlying`.
    public static func custom(_ lookUp: @escaping @Sendable (_ host: String) async throws -> Answer) -> NameResolver {
        NameResolver(
            NameCache { host, answer in
                Task {
                    do {
                        answer(.success(try await lookUp(host)))
                    } catch {
                        answer(
                            .failure(
                                CallError(
                                    .nameResolution, "the client's resolver failed for \(host): \(error)",
                                    phase: .resolving, underlying: error)))
                    }
                }
            }, "custom")
    }

    /// Whether both are the system's, or come from the same call of ``custom(_:)``.
    public static func == (left: NameResolver, right: NameResolver) -> Bool { left.custom === right.custom }

    /// Hashes the identity of the resolver.
    public func hash(into hasher: inout Hasher) { hasher.combine(custom?.number) }
}
