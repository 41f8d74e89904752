// SystemLibrary: imports the C library under its name on each platform.
//
// The module re-exports the library, so a file that calls it imports TsubamePlatform and nothing else.

#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Android)
@_exported public import Android
#elseif canImport(WASILibc)
@_exported public import WASILibc
#elseif canImport(Darwin)
@_exported public import Darwin
#endif

/// System calls that share their names with methods. Inside such a type, Swift would find the method first.
package enum SystemCall {
    /// `open(2)`.
    /// - Returns: the descriptor, or a negative number with the reason in `errno`.
    package static func open(_ path: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
        #if canImport(Glibc)
        Glibc.open(path, flags, mode)
        #elseif canImport(Musl)
        Musl.open(path, flags, mode)
        #elseif canImport(Android)
        Android.open(path, flags, mode)
        #elseif canImport(WASILibc)
        WASILibc.open(path, flags, mode)
        #else
        Darwin.open(path, flags, mode)
        #endif
    }

    /// `read(2)`.
    /// - Returns: the number of bytes, 0 at the end, or a negative number with the reason in `errno`.
    package static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
        Musl.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Android)
        Android.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(WASILibc)
        WASILibc.read(descriptor, buffer.baseAddress, buffer.count)
        #else
        Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }

    /// `write(2)`.
    /// - Returns: the number of bytes, or a negative number with the reason in `errno`.
    package static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Android)
        Android.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(WASILibc)
        WASILibc.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    /// `close(2)`.
    package static func close(_ descriptor: Int32) {
        #if canImport(Glibc)
        _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
        _ = Musl.close(descriptor)
        #elseif canImport(Android)
        _ = Android.close(descriptor)
        #elseif canImport(WASILibc)
        _ = WASILibc.close(descriptor)
        #else
        _ = Darwin.close(descriptor)
        #endif
    }
}
