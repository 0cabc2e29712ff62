package Shapes is
   type Shape is tagged record
      Side : Integer := 1;
   end record;
   function Area (S : Shape) return Integer;
   procedure Grow (S : in out Shape; By : Integer);
   package Inner is
      function Twice (N : Integer) return Integer;
   end Inner;
   function "+" (A, B : Shape) return Shape;
end Shapes;
