// Unavailable: the messages for code that uses this module without the trait Inspector.

#if !Inspector
public import Tsubame

extension Client {
    /// Needs the package's trait Inspector.
    @available(
        *, unavailable,
        message: "inspect() needs the package's trait Inspector: .package(url: …, traits: [.defaults, \"Inspector\"])"
    )
    public func inspect(port: Int = 0, showsSecrets: Bool = false, session: String? = nil) async throws {}
}
#endif
