// swift-tools-version: 6.2
// A package that uses Tsubame without the built-in engine, and so without SwiftNIO and BoringSSL.
import PackageDescription

let package = Package(
    name: "no-engine",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    dependencies: [.package(name: "Tsubame", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "no-engine",
            dependencies: [
                .product(name: "Tsubame", package: "Tsubame"), .product(name: "TsubameTesting", package: "Tsubame"),
                .product(name: "TsubameURLSession", package: "Tsubame"),
            ])
    ]
)
