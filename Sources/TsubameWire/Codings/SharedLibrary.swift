// SharedLibrary: a library of the system that is looked for at run time and not linked.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What is found stays loaded as long as the process runs. Where nothing can be loaded, as by a binary that is linked
/// statically with Musl, nothing is found.
struct SharedLibrary: Sendable {
    // The dynamic linker's own handle: any thread may ask it for symbols.
    private nonisolated(unsafe) let handle: UnsafeMutableRawPointer

    /// - Parameters:
    ///   - name: without `lib` and what its system appends.
    ///   - version: of its binary interface. A library of another one is not what is looked for.
    init?(_ name: String, version: Int) {
        #if canImport(Darwin)
        let file = "lib\(name).\(version).dylib"
        // Homebrew's folders are not among those that the linker looks into.
        let paths = [file, "/opt/homebrew/lib/\(file)", "/usr/local/lib/\(file)"]
        #else
        let paths = ["lib\(name).so.\(version)"]
        #endif
        #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
        guard let handle = paths.lazy.compactMap({ dlopen($0, RTLD_LAZY | RTLD_LOCAL) }).first else { return nil }
        self.handle = handle
        #else
        return nil
        #endif
    }

    /// A function by its name, nil if the library does not have it.
    /// - Parameter type: a `@convention(c)` function type, exactly as the library's header declares it.
    func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
        dlsym(handle, name).map { unsafeBitCast($0, to: type) }
        #else
        nil
        #endif
    }
}
