// NameResolver+Cache: the kept answers of a resolver, also of the system's.

import TsubameCore

extension NameResolver {
    /// The answers of the system's resolver in this process.
    private static let systemNames = NameCache(SystemLookUps().ask)

    var cache: NameCache { custom ?? Self.systemNames }
}
