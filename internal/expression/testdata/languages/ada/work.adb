with Shapes; use Shapes;
procedure Work is
   Outer : Sizes := (40, 50, 60);
begin
   First := (Corner => (1, 2.5), Dimensions => (4, 5, 6), Label => "label", Filled => True, Shade => Blue, Next => First'Access);
   for I in Long'Range loop
      Long (I) := I * 3;
   end loop;
   Infinite := Infinite * 10.0;
   Undefined := Infinite - Infinite;
   loop
      Leaf (5, First, First'Access, "text", Outer);
      Outer (2) := Outer (2) + 1;
      if Outer (2) > 1000 then
         Outer (2) := 0;
      end if;
   end loop;
end Work;
